import type { Open, TaskState } from "../../../../protocol/model.js";
import { Badge } from "../../components/badge.js";
import { stateWord } from "../../talk/state-words.js";

/** The state of a task in a word, with the protocol's name for it. */
export function StateBadge({ state }: { state: Open<TaskState> }) {
  const { text, tone } = stateWord(state);
  return (
    <span title={String(state)}>
      <Badge tone={tone}>{text}</Badge>
    </span>
  );
}
