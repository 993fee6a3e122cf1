import { useEffect, useRef } from "preact/hooks";
import { Notice } from "../../components/badge.js";
import { Button } from "../../components/button.js";
import { CopyButton } from "../../components/copy-button.js";
import { Choice } from "../../components/field.js";
import { routeTo } from "../../route.js";
import { currentAgent } from "../../session/current-agent.js";
import { earlierTask, tasksOf } from "../../talk/answer.js";
import {
  conversations,
  currentConversation,
  newConversation,
  type OpenTurn,
} from "../../talk/conversation.js";
import { taskIdOf } from "../../talk/turn.js";
import { Composer } from "./composer.js";
import { TurnView } from "./turn-view.js";

/** Talks with the agent. */
export function ConversationScreen() {
  const agent = currentAgent.value;
  const { turns, dropped } = currentConversation.value;
  return (
    <>
      <Header />
      {dropped.value > 0 && <Dropped count={dropped.value} />}
      {turns.value.length === 0 && <Explanation />}
      <Turns key={currentConversation.value.id} turns={turns.value} />
      {agent.status === "open" && <Composing turns={turns.value} />}
    </>
  );
}

function Header() {
  const current = currentConversation.value;
  const all = conversations.value;
  const context = current.contextId.value;
  return (
    <header class="row end">
      <h1>Conversation</h1>
      <div class="row">
        {context !== undefined && (
          <>
            <span class="hint">
              Context <span class="mono">{context}</span>
            </span>
            <CopyButton text={context} label="Copy the context id" />
          </>
        )}
        {all.length > 1 && (
          <Choice
            label={<span class="visually-hidden">Conversation on the screen</span>}
            value={String(current.id)}
            options={all.map(({ id }, index) => [String(id), `Conversation ${index + 1}`])}
            onValue={(chosen) => {
              currentConversation.value = all.find(({ id }) => String(id) === chosen) ?? current;
            }}
          />
        )}
        <Button onClick={newConversation} disabled={current.turns.value.length === 0}>
          New conversation
        </Button>
      </div>
    </header>
  );
}

function Dropped({ count }: { count: number }) {
  const what = count === 1 ? "The oldest message" : `The ${count.toLocaleString("en")} oldest messages`;
  return (
    <Notice>
      <span>
        {what} of this conversation and what was answered {count === 1 ? "is" : "are"} no longer kept, so that
        the page does not run out of memory. The agent still has the tasks:{" "}
        <a href={routeTo("tasks")}>see them in its list</a>.
      </span>
    </Notice>
  );
}

function Explanation() {
  return (
    <p>
      Write a message below. The agent answers with a message or with a task. A task has states, may ask you a
      question, and gives its results as artifacts. All tasks of a conversation share one context.
    </p>
  );
}

function Turns({ turns }: { turns: readonly OpenTurn[] }) {
  const end = useRef<HTMLDivElement>(null);
  const { length } = turns;
  useEffect(() => {
    // A message that was sent is in view; what comes later does not move the page.
    if (length > 0) end.current?.scrollIntoView({ block: "nearest" });
  }, [length]);
  const plain = turns.map(({ turn }) => turn);
  return (
    <div class="turns" role="log" aria-label="Messages" aria-live="off">
      {turns.map((open, index) => {
        const id = taskIdOf(open.turn);
        const ofTask = id === undefined ? [open.turn] : plain.filter((turn) => taskIdOf(turn) === id);
        const isLast = !plain.slice(index + 1).some((turn) => taskIdOf(turn) === id);
        return (
          <TurnView
            key={open.turn.id}
            open={open}
            earlier={earlierTask(plain, open.turn)}
            ofTask={isLast ? ofTask : undefined}
          />
        );
      })}
      <div ref={end} />
    </div>
  );
}

function Composing({ turns }: { turns: readonly OpenTurn[] }) {
  const agent = currentAgent.value;
  const place = useRef<HTMLDivElement>(null);
  const { length } = turns;
  useEffect(() => {
    // A question that was answered takes its box away, and the focus with it.
    if (length > 0 && document.activeElement === document.body)
      place.current?.querySelector("textarea")?.focus({ preventScroll: true });
  }, [length]);
  // Read, so that the choice of tasks follows their states.
  for (const { turn } of turns) turn.changes.value;
  if (agent.status !== "open") return null;
  return (
    <div ref={place}>
      <Composer card={agent.card} tasks={tasksOf(turns.map(({ turn }) => turn))} />
    </div>
  );
}
