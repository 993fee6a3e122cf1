import { useState } from "preact/hooks";
import { isInterrupted, isTerminal } from "../../../../protocol/lifecycle.js";
import type { Part, Received, Task } from "../../../../protocol/model.js";
import { textPart } from "../../../../protocol/parts.js";
import { Notice } from "../../components/badge.js";
import { Button } from "../../components/button.js";
import { useKeptFocus } from "../../components/kept-focus.js";
import { tasksOf } from "../../talk/answer.js";
import { cancelTask, followTask, sendInConversation } from "../../talk/conversation.js";
import type { LiveTurn } from "../../talk/turn.js";
import { MessageBox } from "./message-box.js";

/** What a person can do with a task that has not ended: answer it, cancel it, watch it. */
export function TaskReply({ turns }: { /** All that is known of the task. */ turns: readonly LiveTurn[] }) {
  for (const turn of turns) turn.changes.value;
  const task = tasksOf(turns).at(-1);
  const isRead = turns.some(({ endedAt }) => endedAt === undefined);
  return task === undefined ? null : <Actions task={task} isRead={isRead} />;
}

function Actions({ task, isRead }: { task: Received<Task>; isRead: boolean }) {
  const [refusal, setRefusal] = useState<string>();
  const { state } = task.status;
  const hasEnded = isTerminal(state);
  const place = useKeptFocus<HTMLDivElement>(hasEnded, (reply) =>
    reply.closest("article")?.querySelector<HTMLElement>(".states"),
  );
  if (hasEnded) return <div ref={place} hidden />;
  const answer = (parts: readonly Part[]) => sendInConversation({ parts, taskId: task.id, mode: "stream" });
  const cancel = async () => setRefusal(await cancelTask(task));
  return (
    <div ref={place} class="stack">
      {state === "TASK_STATE_INPUT_REQUIRED" && (
        <MessageBox label="The agent asks. Your answer:" action="Answer" onSend={answer} />
      )}
      {state === "TASK_STATE_AUTH_REQUIRED" && (
        <Notice tone="warn">
          <strong>The agent needs a login before it goes on.</strong>
          <span>
            Do what its message says. Some agents notice the login by themselves; others wait for a message.
          </span>
          <Button onClick={() => answer([textPart("I have signed in.")])}>I have signed in: go on</Button>
        </Notice>
      )}
      <div class="row">
        <Button isSmall onClick={() => void cancel()}>
          Cancel the task
        </Button>
        {!isRead && !isInterrupted(state) && (
          <Button isSmall onClick={() => followTask(task.id)}>
            Watch it again
          </Button>
        )}
      </div>
      {refusal !== undefined && (
        <Notice tone="bad">
          <strong>The task was not canceled.</strong>
          <span class="text">{refusal}</span>
        </Notice>
      )}
    </div>
  );
}
