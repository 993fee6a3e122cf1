import { useEffect, useRef } from "preact/hooks";
import { Badge, Notice } from "../../components/badge.js";
import { DataTree } from "../../components/data-tree.js";
import { VirtualList } from "../../components/virtual-list.js";
import { routeTo } from "../../route.js";
import { differenceBetween } from "../card/card-difference.js";
import type { CallProblem, CallRun } from "./call-run.js";
import { interfaceName } from "./interface-name.js";

/** What came of a call; of a call over all interfaces, side by side. */
export function CallResults({ runs }: { runs: readonly CallRun[] }) {
  const section = useRef<HTMLElement>(null);
  const hasRun = runs.length > 0;
  // The results are below the request, which is often taller than the window.
  useEffect(() => {
    if (hasRun) section.current?.scrollIntoView({ block: "nearest" });
  }, [hasRun]);
  if (!hasRun) return null;
  return (
    <section class="stack results-of" ref={section} aria-label="Results" aria-live="polite">
      <div class="row end">
        <h2>{runs.length === 1 ? "Result" : "Results side by side"}</h2>
        <a href={routeTo("wire")}>What went over the line</a>
      </div>
      <div class="results">
        {runs.map((run, index) => (
          <Result key={index} run={run} first={index === 0 ? undefined : runs[0]} />
        ))}
      </div>
    </section>
  );
}

function Result({ run, first }: { run: CallRun; first: CallRun | undefined }) {
  const { plan, isRunning, took, result, events, droppedEvents, problem } = run;
  const [tone, word] = isRunning
    ? (["warn", "Running"] as const)
    : problem
      ? (["bad", problem.code ?? "Failed"] as const)
      : (["good", "Answered"] as const);
  return (
    <article class="panel">
      <div class="row">
        <h3>{interfaceName(plan.entry)}</h3>
        <Badge tone={tone}>{word}</Badge>
        <span class="hint">{Math.round(took)} ms</span>
      </div>
      {first !== undefined && !isRunning && !first.isRunning && <Comparison run={run} first={first} />}
      {problem && <Problem problem={problem} />}
      {events.length > 0 && <Events events={events} dropped={droppedEvents} />}
      {result === null && <p>The response is empty, as the protocol requires.</p>}
      {result !== undefined && result !== null && <DataTree label="Result" value={result} />}
    </article>
  );
}

/** Members that differ whenever an operation is called again. */
const fleeting = /(?:^|\.)(?:timestamp|messageId|id|taskId|contextId|artifactId)$/;

function Comparison({ run, first }: { run: CallRun; first: CallRun }) {
  const of = ({ result, events, problem }: CallRun) => ({ result, events, problem: problem?.code });
  const all = differenceBetween(of(first), of(run));
  const real = all.filter(({ path }) => !fleeting.test(path));
  const than = interfaceName(first.plan.entry);
  if (real.length === 0)
    return (
      <p class="hint">
        The same as over {than}
        {all.length > 0 && ", except for ids and times"}.
      </p>
    );
  return (
    <details>
      <summary>
        {real.length === 1 ? "One difference" : `${real.length} differences`} from {than}
      </summary>
      <ul>
        {real.slice(0, 50).map(({ path, kind }) => (
          <li key={path}>
            {kind}: <code>{path}</code>
          </li>
        ))}
      </ul>
    </details>
  );
}

function Problem({ problem: { message, isAgents, details } }: { problem: CallProblem }) {
  return (
    <>
      <Notice tone="bad">
        <strong>{isAgents ? "The agent has refused:" : "The call has failed:"}</strong>
        <span class="text">{message}</span>
      </Notice>
      {Object.keys(details).length > 0 && <DataTree label="Details of the error" value={details} />}
    </>
  );
}

/** Height of an event in the list, in pixels. */
const ROW = 26;

/** Characters of an event in the list. */
const LINE = 2_000;

function Events({ events, dropped }: { events: readonly unknown[]; dropped: number }) {
  const last = events.at(-1);
  const count = events.length + dropped;
  return (
    <>
      <p>{count === 1 ? "One event" : `${count.toLocaleString("en")} events`}, the last in full:</p>
      {dropped > 0 && (
        <p class="hint">{dropped.toLocaleString("en")} of them, after the first, are no longer kept.</p>
      )}
      <VirtualList
        label="Events"
        rows={events}
        rowHeight={ROW}
        height={260}
        followsEnd
        row={(event, index) => (
          <code class="line">
            {index === 0 ? 1 : index + 1 + dropped} {JSON.stringify(event).slice(0, LINE)}
          </code>
        )}
      />
      <DataTree label="Last event" value={last} />
    </>
  );
}
