import type { FunctionComponent } from "preact";
import { StartScreen } from "./screens/start/start-screen.js";

/** A screen of the page. */
export interface Screen {
  /** Name in the URL. */
  readonly name: string;
  /** Name in the navigation, and title. */
  readonly title: string;
  readonly component: FunctionComponent;
  /** Whether it needs an agent that is open. */
  readonly needsAgent: boolean;
  /** Key that leads to it after `g`. */
  readonly key: string;
}

/** Every screen, in the order of the navigation. */
export const screens: readonly Screen[] = [
  { name: "", title: "Agent", component: StartScreen, needsAgent: false, key: "a" },
];
