import type { Artifact, Part, Received, Task } from "../../../../protocol/model.js";
import { Badge, Notice } from "../../components/badge.js";
import { Button } from "../../components/button.js";
import { PartView } from "../../parts/part-view.js";
import { routeTo } from "../../route.js";
import { joinedParts, type TurnAnswer, turnAnswer } from "../../talk/answer.js";
import type { OpenTurn } from "../../talk/conversation.js";
import { stateWord } from "../../talk/state-words.js";
import type { LiveTurn, Turn } from "../../talk/turn.js";
import { TaskReply } from "./task-reply.js";

/** Properties of a {@link TurnView}. */
export interface TurnViewProps {
  readonly open: OpenTurn;
  /** The task of this turn as it was before. */
  readonly earlier: Received<Task> | undefined;
  /** All turns of the task, if this is the last of them; the task is answered here. */
  readonly ofTask: readonly LiveTurn[] | undefined;
}

/** A message and everything that the agent has answered to it. */
export function TurnView({ open: { turn, stop }, earlier, ofTask }: TurnViewProps) {
  // Read, so that the view follows the turn.
  turn.changes.value;
  const { task } = turn;
  const isOpen = turn.endedAt === undefined;
  return (
    <>
      {turn.message !== undefined && (
        <article class="said user" aria-label="You">
          <header class="row">
            <strong>You</strong>
            {turn.taskId !== undefined && <span class="hint">to the task {shortId(turn.taskId)}</span>}
          </header>
          <Parts parts={turn.message.parts.map(asWritten)} />
        </article>
      )}
      <article class="said agent" aria-label="Agent" aria-busy={isOpen}>
        <header class="row">
          <strong>Agent</strong>
          {task === undefined ? (
            turn.reply !== undefined && <span class="hint">a message, without a task</span>
          ) : (
            <span class="hint">
              Task <span class="mono">{shortId(task.id)}</span>
              {earlier !== undefined && ", continued"}
            </span>
          )}
          {isOpen && (
            <Button isSmall look="plain" onClick={stop}>
              Stop reading
            </Button>
          )}
        </header>
        <AnswerView answer={turnAnswer(turn, earlier)} turn={turn} />
        <DroppedEvents turn={turn} />
        {isOpen && turn.events.length === 0 && <span class="hint">Waiting for the agent …</span>}
        {turn.problem !== undefined && (
          <Notice tone="bad">
            <strong>
              {turn.events.length === 0 ? "The message was not answered." : "The answer is not complete."}
            </strong>
            <span class="text">{turn.problem}</span>
          </Notice>
        )}
        {ofTask !== undefined && <TaskReply turns={ofTask} />}
        <Footer turn={turn} />
      </article>
    </>
  );
}

/** Says that events of a turn are no longer kept; nothing if all of them are. */
export function DroppedEvents({ turn }: { readonly turn: Turn }) {
  const { droppedEvents: count, task } = turn;
  if (count === 0) return null;
  return (
    <Notice>
      <span>
        {count.toLocaleString("en")} older events of this answer are no longer kept, so that the page does not
        run out of memory. {task !== undefined && "The task is complete all the same. "}
        {task !== undefined && (
          <a href={routeTo("tasks", task.id)}>Read the log of the task from the agent</a>
        )}
      </span>
    </Notice>
  );
}

/** A part of the person's own message: its text is shown as it was typed. */
function asWritten(part: Part): Part {
  return part.text === undefined ? part : { mediaType: "text/plain", ...part };
}

/** The beginning of an id, which is enough to tell the tasks of a conversation apart. */
export function shortId(id: string): string {
  return id.length > 12 ? `${id.slice(0, 8)}…` : id;
}

function Footer({ turn }: { turn: Turn }) {
  const first = turn.events[0];
  if (first === undefined) return null;
  const length = turn.events.length + turn.droppedEvents;
  const end = turn.endedAt ?? turn.events.at(-1)?.at ?? first.at;
  return (
    <footer class="row hint">
      <span>
        First event after {first.at - turn.startedAt} ms · {length.toLocaleString("en")}{" "}
        {length === 1 ? "event" : "events"} in {end - turn.startedAt} ms
      </span>
      <a href={routeTo("time", String(turn.id))}>See it over time</a>
    </footer>
  );
}

function AnswerView({ answer, turn }: { answer: TurnAnswer; turn: Turn }) {
  const { states, messages, artifacts, hasGap } = answer;
  return (
    <>
      {states.length > 0 && (
        <ol class="states" aria-label="States of the task" tabIndex={-1}>
          {states.map((state, index) => {
            const { text, tone } = stateWord(state);
            return (
              <li key={index}>
                <Badge tone={index === states.length - 1 ? tone : "quiet"}>{text}</Badge>
              </li>
            );
          })}
        </ol>
      )}
      {hasGap && (
        <Notice tone="warn">
          Some events were missed while the line was cut. The task below is complete all the same: the agent
          has sent it as a whole.
        </Notice>
      )}
      {messages.map(({ message }) => (
        <Parts key={message.messageId} parts={message.parts} />
      ))}
      {artifacts.map((artifact) => (
        <ArtifactView key={artifact.artifactId} artifact={artifact} isGrowing={turn.endedAt === undefined} />
      ))}
    </>
  );
}

function ArtifactView({ artifact, isGrowing }: { artifact: Received<Artifact>; isGrowing: boolean }) {
  const { artifactId, name, description, parts } = artifact;
  return (
    <section class="artifact" aria-label={`Artifact ${name ?? artifactId}`} aria-busy={isGrowing}>
      <header class="row">
        <Badge>Artifact</Badge>
        <strong>{name ?? artifactId}</strong>
        {description !== undefined && <span class="hint">{description}</span>}
      </header>
      <Parts parts={parts} />
    </section>
  );
}

function Parts({ parts }: { parts: readonly Part[] }) {
  return (
    <>
      {joinedParts(parts).map((part, index) => (
        <PartView key={index} part={part} />
      ))}
    </>
  );
}
