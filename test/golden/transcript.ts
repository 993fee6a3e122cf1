import assert from "node:assert/strict";
import { readFileSync } from "node:fs";

/** JSON of any shape, to look into. */
type Json = any;

/** A request and the documented answer to it: one JSON value, or the events of a stream. */
interface Exchange {
  /** What happens here, for whoever reads the file. */
  readonly about?: string;
  readonly request?: Json;
  /** Path of a GET request, in the place of a JSON-RPC one. */
  readonly get?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly answer?: Json;
  readonly events?: readonly Json[];
  /** How many events there are before the next exchange begins; the others come after it. */
  readonly until?: number;
}

/** A conversation as it is documented; see README.md beside the files. */
export interface Transcript {
  readonly name: string;
  readonly exchanges: readonly Exchange[];
}

/** Reads the transcripts of a file of this folder. */
export function transcriptsIn(file: string): readonly Transcript[] {
  return JSON.parse(readFileSync(new URL(file, import.meta.url), "utf8"));
}

/**
 * Sends the requests of a transcript in their order and compares what comes back, whole, with what is documented. There
 * `"$time"` stands for any time, and `"$name"` for an id that the server makes: the first one is remembered, later ones are the
 * same. In requests the remembered ones are filled in.
 * @param known what placeholders stand for before the first exchange
 */
export async function replay(url: string, { exchanges }: Transcript, known: Record<string, string> = {}) {
  const names = new Map<string, unknown>(Object.entries(known));
  const streams: Promise<void>[] = [];
  for (const exchange of exchanges) {
    const response = await send(url, exchange, names);
    const { answer, events, until } = exchange;
    assert.equal(response.status, 200);
    if (answer !== undefined) match(await response.json(), answer, { names, path: "answer" });
    if (events === undefined) continue;
    const [head, tail] = [events.slice(0, until), events.slice(until ?? events.length)];
    const frames = framesOf(response);
    for (const [at, event] of head.entries()) await nextIs(frames, event, names, `events[${at}]`);
    streams.push(rest(frames, tail, names, head.length));
    // Another exchange may fail before anyone looks at this one.
    streams.at(-1)?.catch(() => undefined);
  }
  await Promise.all(streams);
}

type Names = Map<string, unknown>;

async function rest(frames: AsyncIterator<Json>, events: readonly Json[], names: Names, from: number) {
  for (const [at, event] of events.entries()) await nextIs(frames, event, names, `events[${from + at}]`);
  assert.equal((await frames.next()).done, true, "the stream ends");
}

function send(url: string, { request, get, headers }: Exchange, names: Names): Promise<Response> {
  if (get !== undefined) return fetch(url + get, { headers: { ...headers } });
  return fetch(url, {
    method: "POST",
    headers: { "Content-Type": "application/json", ...headers },
    body: JSON.stringify(request, (_, value) => names.get(value) ?? value),
  });
}

async function* framesOf({ body }: Response): AsyncGenerator<Json, void> {
  let text = "";
  for await (const bytes of body ?? []) {
    text += Buffer.from(bytes).toString();
    const frames = text.split("\n\n");
    text = frames.pop() ?? "";
    for (const frame of frames) {
      const data = /^data: (.*)$/m.exec(frame)?.[1];
      if (data !== undefined) yield JSON.parse(data);
    }
  }
}

async function nextIs(frames: AsyncIterator<Json>, event: Json, names: Names, path: string): Promise<void> {
  const { value, done } = await frames.next();
  assert.ok(!done, `${path} is missing`);
  match(value, event, { names, path });
}

interface Where {
  readonly names: Names;
  readonly path: string;
}

function match(actual: Json, expected: Json, { names, path }: Where): void {
  if (expected === "$time") {
    assert.match(actual, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/, path);
  } else if (typeof expected === "string" && expected.startsWith("$")) {
    if (!names.has(expected)) {
      assert.match(actual, /^[\w-]{8,}$/, `${path} is an id`);
      names.set(expected, actual);
    }
    assert.equal(actual, names.get(expected), path);
  } else if (typeof expected === "object" && expected !== null) {
    const members = [actual, expected].map((value) => Object.keys(value ?? {}).sort());
    assert.deepEqual(members[0], members[1], `members of ${path}: ${JSON.stringify(actual)}`);
    for (const [name, member] of Object.entries(expected)) {
      match(actual[name], member, { names, path: `${path}.${name}` });
    }
  } else assert.deepEqual(actual, expected, path);
}
