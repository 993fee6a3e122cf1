import { useState } from "preact/hooks";
import { Button } from "./button.js";

/** How long it says that it has copied, in milliseconds. */
const SHOWN = 2000;

/** Properties of a {@link CopyButton}. */
export interface CopyButtonProps {
  readonly text: string | (() => string);
  /** What is copied, for its name: "Copy as curl". */
  readonly label?: string;
}

/** Copies text to the clipboard and says whether it could. */
export function CopyButton({ text, label = "Copy" }: CopyButtonProps) {
  const [said, say] = useState<string>();
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(typeof text === "string" ? text : text());
      say("Copied");
    } catch {
      say("The browser did not permit it");
    }
    setTimeout(() => say(undefined), SHOWN);
  };
  return (
    <Button isSmall onClick={() => void copy()}>
      <span aria-live="polite">{said ?? label}</span>
    </Button>
  );
}
