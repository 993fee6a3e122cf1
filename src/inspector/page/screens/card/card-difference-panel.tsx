import { useState } from "preact/hooks";
import { Badge, Notice, type Tone } from "../../components/badge.js";
import { Field } from "../../components/field.js";
import { LongText } from "../../components/long-text.js";
import { timeText } from "../../time-text.js";
import { type CardChange, differenceBetween } from "./card-difference.js";
import { cardState } from "./card-state.js";

/** What the card is compared with. */
interface Baseline {
  readonly name: string;
  readonly value: unknown;
}

/** What has changed since the card was last opened, or compared with a file. */
export function CardDifference({ value }: { value: object }) {
  const [file, setFile] = useState<Baseline>();
  const [problem, setProblem] = useState<string>();
  const last = cardState.value?.last;
  const baseline = file ?? (last && { name: `the card of ${timeText(last.at)}`, value: last.value });
  const choose = async (chosen: File | undefined) => {
    try {
      setFile(chosen && { name: chosen.name, value: JSON.parse(await chosen.text()) as unknown });
      setProblem(undefined);
    } catch {
      setProblem("This file is not JSON.");
    }
  };
  return (
    <section class="panel">
      {baseline === undefined ? (
        <Notice>
          This card is new here. The next time it is opened at this address, this tab shows what has changed
          since; or compare it with a file now.
        </Notice>
      ) : (
        <Changes name={baseline.name} changes={differenceBetween(baseline.value, value)} />
      )}
      <Field label="Compare with a saved card" problem={problem}>
        {(control) => (
          <input
            {...(control as object)}
            type="file"
            accept=".json,application/json"
            onChange={(event) => void choose(event.currentTarget.files?.[0])}
          />
        )}
      </Field>
    </section>
  );
}

const tones: Readonly<Record<CardChange["kind"], Tone>> = { added: "good", removed: "bad", changed: "warn" };

function Changes({ name, changes }: { name: string; changes: readonly CardChange[] }) {
  if (changes.length === 0) return <Notice tone="good">Nothing has changed since {name}.</Notice>;
  return (
    <>
      <p>
        {changes.length === 1 ? "One difference" : `${changes.length} differences`} from {name}:
      </p>
      <table>
        <thead>
          <tr>
            <th scope="col">Change</th>
            <th scope="col">Member</th>
            <th scope="col">Before</th>
            <th scope="col">Now</th>
          </tr>
        </thead>
        <tbody>
          {changes.map(({ path, kind, before, after }) => (
            <tr key={path}>
              <td>
                <Badge tone={tones[kind]}>{kind}</Badge>
              </td>
              <td class="mono">{path || "the whole card"}</td>
              <td class="mono text">
                <Value value={before} />
              </td>
              <td class="mono text">
                <Value value={after} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </>
  );
}

function Value({ value }: { value: unknown }) {
  return <LongText text={value === undefined ? "" : JSON.stringify(value, undefined, 1)} limit={400} />;
}
