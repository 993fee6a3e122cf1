import { useState } from "preact/hooks";
import { LongText } from "./long-text.js";

/** Members of an object or array that are shown at first, and added by each click. */
const STEP = 100;

type Entry = readonly [key: string, value: unknown];

function entriesOf(value: unknown): readonly Entry[] | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  return Array.isArray(value) ? value.map((each, index) => [String(index), each]) : Object.entries(value);
}

/** JSON as a tree that opens and closes. Only what is open is on the page. */
export function DataTree({ value, label }: { value: unknown; label: string }) {
  return (
    <ul class="tree" aria-label={label}>
      <Branch name={undefined} value={value} depth={0} />
    </ul>
  );
}

/** How deep a tree is open at first. */
const OPEN_DEPTH = 3;

function Branch({ name, value, depth }: { name: string | undefined; value: unknown; depth: number }) {
  const entries = entriesOf(value);
  const [isOpen, setOpen] = useState(depth < OPEN_DEPTH && (entries?.length ?? 0) <= STEP);
  const key = name !== undefined && <span class="key">{name}:</span>;
  if (entries === undefined || entries.length === 0)
    return (
      <li>
        <div>
          <span class="twist" />
          {key}
          <Leaf value={value} />
        </div>
      </li>
    );
  const summary = Array.isArray(value) ? `[${entries.length}]` : `{${entries.length}}`;
  return (
    <li>
      <div>
        <button
          type="button"
          class="twist"
          aria-expanded={isOpen}
          aria-label={`${isOpen ? "Close" : "Open"} ${name ?? "the value"}`}
          onClick={() => setOpen(!isOpen)}
        >
          {isOpen ? "▾" : "▸"}
        </button>
        {key}
        <span class="summary">{summary}</span>
      </div>
      {isOpen && <Members entries={entries} depth={depth + 1} />}
    </li>
  );
}

function Members({ entries, depth }: { entries: readonly Entry[]; depth: number }) {
  const [shown, setShown] = useState(STEP);
  const left = entries.length - shown;
  return (
    <ul>
      {entries.slice(0, shown).map(([name, value]) => (
        <Branch key={name} name={name} value={value} depth={depth} />
      ))}
      {left > 0 && (
        <li>
          <button type="button" class="button small" onClick={() => setShown(shown + STEP)}>
            Show {Math.min(STEP, left)} of {left} more
          </button>
        </li>
      )}
    </ul>
  );
}

function Leaf({ value }: { value: unknown }) {
  if (typeof value === "string")
    return (
      <span class="string">
        <LongText text={JSON.stringify(value)} limit={2000} />
      </span>
    );
  const kind = value === null ? "null" : typeof value;
  const text = Array.isArray(value)
    ? "[]"
    : typeof value === "object" && value !== null
      ? "{}"
      : String(value);
  return <span class={kind}>{text}</span>;
}
