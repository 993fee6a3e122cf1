import { requirements } from "virtual:requirements";
import { useState } from "preact/hooks";
import type { CheckResult } from "../../../../conformance/report.js";
import { Badge, type Tone } from "../../components/badge.js";
import { LongText } from "../../components/long-text.js";
import type { CheckedRequirement, RequirementVerdict } from "../../conformance/by-requirement.js";

/** Verdicts for people. */
export const verdictWords: Readonly<Record<RequirementVerdict, readonly [text: string, tone: Tone]>> = {
  violated: ["Violated", "bad"],
  met: ["Met", "good"],
  unprovoked: ["Not checked", "quiet"],
};

/** A requirement, its verdict, and the exchanges that led to it. */
export function RequirementRow({
  requirement: { id, verdict, checks },
}: {
  requirement: CheckedRequirement;
}) {
  const [isOpen, setOpen] = useState(false);
  const [level, statement, section] = requirements[id] ?? [undefined, undefined, undefined];
  const [word, tone] = verdictWords[verdict];
  const name = statement ?? [...new Set(checks.map(({ claim }) => claim))].join("; ");
  return (
    <li>
      <details onToggle={(event) => setOpen(event.currentTarget.open)}>
        <summary>
          <Badge tone={tone}>{word}</Badge> <strong class="mono">{id}</strong>{" "}
          {level !== undefined && <span class="hint">{level}</span>} {name.replaceAll("`", "")}{" "}
          {section !== undefined && <span class="hint">{section}</span>}
        </summary>
        {isOpen && checks.map((check, index) => <Check key={index} check={check} />)}
      </details>
    </li>
  );
}

function Check({ check: { claim, over, verdict, found, exchanges } }: { check: CheckResult }) {
  const [word, tone] = verdictWords[verdict];
  return (
    <div class="check">
      <p>
        <Badge tone={tone}>{word}</Badge> <span class="hint">{over}</span> {claim}
      </p>
      {found !== undefined && (
        <p>
          <strong>{verdict === "unprovoked" ? "Why not: " : "Found instead: "}</strong>
          <span class="text">{found}</span>
        </p>
      )}
      {exchanges.map((exchange, index) => (
        <ExchangeView key={index} exchange={exchange} />
      ))}
    </div>
  );
}

function ExchangeView({ exchange }: { exchange: CheckResult["exchanges"][number] }) {
  const { method, url, status, requestBody, responseBody } = exchange;
  return (
    <div class="stack">
      <div class="mono">
        {method} {url} → {status ?? "no answer"}
      </div>
      {requestBody !== undefined && <Body name="Request" text={requestBody} />}
      {responseBody !== undefined && <Body name="Response" text={responseBody} />}
    </div>
  );
}

function Body({ name, text }: { name: string; text: string }) {
  return (
    <div>
      <span class="hint">{name}</span>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: the keyboard must be able to scroll it */}
      <pre class="scroll body" tabIndex={0}>
        <LongText text={formatted(text)} />
      </pre>
    </div>
  );
}

function formatted(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), undefined, 2);
  } catch {
    return text;
  }
}
