import { useEffect } from "preact/hooks";
import { goTo } from "./route.js";
import { screens } from "./screens.js";

/** How long the second key of a pair may take, in milliseconds. */
const PAIR = 1500;

/** Types of inputs that take no letters. */
const wordless = /^(?:range|checkbox|radio|file)$/;

/** Whether a key is typed into something, such as a field. */
function isTyping(event: KeyboardEvent): boolean {
  const [target] = event.composedPath();
  if (target instanceof HTMLInputElement) return !wordless.test(target.type);
  return (
    target instanceof HTMLElement &&
    (target.isContentEditable || /^(?:TEXTAREA|SELECT)$/.test(target.tagName))
  );
}

/** The page's keys: `?` for help, `g` and a letter for a screen. */
export function useShortcuts(onHelp: () => void): void {
  // biome-ignore lint/correctness/useExhaustiveDependencies: the listener is the same for the life of the page
  useEffect(() => {
    let pairUntil = 0;
    const onKey = (event: KeyboardEvent) => {
      if (isTyping(event) || event.ctrlKey || event.metaKey || event.altKey) return;
      if (document.querySelector("dialog[open]") !== null) return;
      if (event.key === "?") return onHelp();
      const screen = screens.find(({ key }) => key === event.key);
      if (Date.now() < pairUntil && screen !== undefined) goTo(screen.name);
      pairUntil = event.key === "g" ? Date.now() + PAIR : 0;
    };
    addEventListener("keydown", onKey);
    return () => removeEventListener("keydown", onKey);
  }, []);
}
