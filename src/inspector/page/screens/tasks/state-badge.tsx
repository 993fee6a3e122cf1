import type { Open, TaskState } from "../../../../protocol/model.js";
import { Badge } from "../../components/badge.js";
import { stateWord } from "../../talk/state-words.js";

/** The state of a task in a word, with the protocol's name for it. */
export function StateBadge({ state }: { state: Open<TaskState> | undefined }) {
  const { text, tone } = stateWord(state);
  return (
    <span title={state === undefined ? undefined : String(state)}>
      <Badge tone={tone}>{text}</Badge>
    </span>
  );
}
