import { useMemo, useState } from "preact/hooks";
import { publishedSchemas } from "../../../../agent/skills/published.js";
import type { AgentCard, Part, Received, Task } from "../../../../protocol/model.js";
import { Notice } from "../../components/badge.js";
import { Choice } from "../../components/field.js";
import { Tabs } from "../../components/tabs.js";
import {
  cancelTask,
  newConversation,
  sendInConversation,
  type TalkMessage,
} from "../../talk/conversation.js";
import { stateOfTask, stateWord, taskHasEnded } from "../../talk/state-words.js";
import { notifiedWebhook, pushConfigFor, webhookList } from "../../webhooks/webhook-list.js";
import { commandIn } from "./draft-parts.js";
import { MessageBox } from "./message-box.js";
import { answerMode, chosenInterface, SendChoices } from "./send-choices.js";
import { SkillComposer } from "./skill-composer.js";
import { shortId } from "./turn-view.js";

/** Properties of a {@link Composer}. */
export interface ComposerProps {
  readonly card: AgentCard;
  /** The tasks of the conversation. */
  readonly tasks: readonly Received<Task>[];
}

/** Writes messages: to a new task, or to one that has not ended, also while it works. */
export function Composer({ card, tasks }: ComposerProps) {
  const [target, setTarget] = useState("");
  const [problem, setProblem] = useState<string>();
  const open = tasks.filter((task) => !taskHasEnded(task));
  const task = open.find(({ id }) => id === target);
  const run = {
    new: () => newConversation(),
    cancel: () => {
      const last = task ?? open.at(-1);
      if (last === undefined) setProblem("There is no task that could be canceled");
      else void cancelTask(last).then(setProblem);
    },
  };
  const schemas = useMemo(() => publishedSchemas(card), [card]);
  const hasContracts = [...schemas.values()].some(({ input }) => input !== undefined);
  const [tab, setTab] = useState("text");
  const webhook = webhookList.value.find(({ id }) => id === notifiedWebhook.value);
  const configuration = webhook && { taskPushNotificationConfig: pushConfigFor(webhook) };
  const send = (parts: readonly Part[], metadata?: TalkMessage["metadata"]) => {
    setProblem(undefined);
    const agentInterface = chosenInterface(card);
    const mode = answerMode.value;
    sendInConversation({ parts, taskId: task?.id, mode, agentInterface, metadata, configuration });
  };
  const sendText = (parts: readonly Part[], text: string) => {
    const command = parts.length === 1 ? commandIn(text) : undefined;
    if (command === undefined) send(parts);
    else run[command]();
  };
  const box = (
    <MessageBox
      label="Message"
      action="Send"
      placeholder="Say something to the agent. /new begins a new conversation, /cancel cancels the last task."
      onSend={sendText}
    />
  );
  return (
    <div class="stack">
      {problem !== undefined && <Notice tone="bad">{problem}</Notice>}
      {hasContracts ? (
        <Tabs
          label="What is sent"
          tabs={[
            { id: "text", label: "Message" },
            { id: "skill", label: "Skill with a form" },
          ]}
          selected={tab}
          onSelect={setTab}
        >
          {tab === "text" ? box : <SkillComposer card={card} schemas={schemas} onSend={send} />}
        </Tabs>
      ) : (
        box
      )}
      {webhook !== undefined && (
        <p class="hint">
          Tasks notify the webhook <span class="mono">{webhook.url}</span>.
        </p>
      )}
      <div class="choices">
        {open.length > 0 && (
          <Choice
            label="To"
            value={task?.id ?? ""}
            options={[
              ["", "A new task in this conversation"],
              ...open.map(
                (one) => [one.id, `Task ${shortId(one.id)}: ${stateWord(stateOfTask(one)).text}`] as const,
              ),
            ]}
            onValue={setTarget}
          />
        )}
        <SendChoices card={card} />
      </div>
    </div>
  );
}
