import type { FunctionComponent } from "preact";
import { lazyScreen } from "./lazy-screen.js";
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

const card = lazyScreen(async () => (await import("./screens/card/card-screen.js")).CardScreen);
const callOperations = lazyScreen(
  async () => (await import("./screens/operations/operations-screen.js")).OperationsScreen,
);
const conversation = lazyScreen(
  async () => (await import("./screens/conversation/conversation-screen.js")).ConversationScreen,
);

const wire = lazyScreen(async () => (await import("./screens/wire/wire-screen.js")).WireScreen);
const timeAxis = lazyScreen(
  async () => (await import("./screens/timeline/timeline-screen.js")).TimelineScreen,
);

const credentials = lazyScreen(
  async () => (await import("./screens/credentials/credentials-screen.js")).CredentialsScreen,
);

const tasks = lazyScreen(async () => (await import("./screens/tasks/tasks-screen.js")).TasksScreen);

const webhooks = lazyScreen(
  async () => (await import("./screens/webhooks/webhooks-screen.js")).WebhooksScreen,
);

const recordings = lazyScreen(
  async () => (await import("./screens/recordings/recordings-screen.js")).RecordingsScreen,
);

const conformance = lazyScreen(
  async () => (await import("./screens/conformance/conformance-screen.js")).ConformanceScreen,
);

/** Every screen, in the order of the navigation. */
export const screens: readonly Screen[] = [
  { name: "", title: "Agent", component: StartScreen, needsAgent: false, key: "a" },
  { name: "card", title: "Card", component: card, needsAgent: true, key: "c" },
  { name: "operations", title: "Operations", component: callOperations, needsAgent: true, key: "o" },
  { name: "talk", title: "Conversation", component: conversation, needsAgent: true, key: "t" },
  { name: "time", title: "Time axis", component: timeAxis, needsAgent: true, key: "x" },
  { name: "tasks", title: "Tasks", component: tasks, needsAgent: true, key: "k" },
  { name: "credentials", title: "Credentials", component: credentials, needsAgent: true, key: "r" },
  { name: "webhooks", title: "Webhooks", component: webhooks, needsAgent: false, key: "h" },
  { name: "recordings", title: "Recordings", component: recordings, needsAgent: false, key: "d" },
  { name: "conformance", title: "Conformance", component: conformance, needsAgent: true, key: "f" },
  { name: "wire", title: "Wire", component: wire, needsAgent: false, key: "w" },
];
