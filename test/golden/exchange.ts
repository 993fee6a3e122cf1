import assert from "node:assert/strict";

/** JSON of any shape, to look into. */
export type Json = any;

/** A request of a transcript and what was answered to it: one result, or the events of a stream. */
export interface Exchange {
  readonly request: Json;
  readonly headers?: Readonly<Record<string, string>>;
  readonly answer?: Json;
  readonly events?: readonly Json[];
}

/**
 * Sends the requests of a transcript in their order and compares what comes back, member by member. In what is expected
 * `"…"` stands for anything, and `"$name"` for what it stood for before; in requests it is filled in.
 */
export async function replay(url: string, transcript: readonly Exchange[]): Promise<void> {
  const names = new Map<string, unknown>();
  for (const { request, headers, answer, events } of transcript) {
    const response = await fetch(url, {
      method: "POST",
      headers: { "Content-Type": "application/json", ...headers },
      body: JSON.stringify(request, (_, value) => (isName(value) ? names.get(value) : value)),
    });
    const text = await response.text();
    assert.equal(response.status, 200, text);
    if (answer !== undefined) match(JSON.parse(text), answer, names, "answer");
    const frames = [...text.matchAll(/^data: (.*)$/gm)].map(([, data = ""]) => JSON.parse(data));
    if (events !== undefined) match(frames, events, names, "events");
  }
}

function match(actual: Json, expected: Json, names: Map<string, unknown>, path: string): void {
  if (expected === "…") {
    assert.ok(actual !== undefined, `${path} is missing`);
    return;
  }
  if (isName(expected) && !names.has(expected)) names.set(expected, actual);
  if (typeof expected !== "object" || expected === null) {
    assert.deepEqual(actual, isName(expected) ? names.get(expected) : expected, path);
    return;
  }
  assert.deepEqual(
    Object.keys(actual ?? {}).sort(),
    Object.keys(expected).sort(),
    `${path} of ${JSON.stringify(actual)}`,
  );
  for (const [name, member] of Object.entries(expected))
    match(actual[name], member, names, `${path}.${name}`);
}

function isName(value: unknown): value is string {
  return typeof value === "string" && /^\$[a-z]+$/.test(value);
}
