import assert from "node:assert/strict";
import { once } from "node:events";
import { connect as connectSocket } from "node:net";
import { gzipSync } from "node:zlib";
import { callText, json, version } from "../server/scripted-agent.js";

/** Where a host serves the probe agent, for anyone and for callers with a token. */
interface Places {
  readonly open: string;
  readonly guarded: string;
}

const post = (
  url: string,
  method: string,
  text: string,
  headers: Record<string, string> = {},
  init: RequestInit = {},
) => fetch(url, { method: "POST", headers: { ...json, ...headers }, body: callText(method, text), ...init });

const call = async (url: string, method: string, params: object, headers: Record<string, string> = {}) => {
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method, params });
  return (await (await fetch(url, { method: "POST", headers: { ...json, ...headers }, body })).json()) as any;
};

/** Headers of a caller with a token. */
const alice = { ...json, Authorization: "Bearer alice-token" };

/** Writes a request as it stands, and then a chunk again and again, and reads what is answered until nothing more comes. */
async function answerTo(url: string, request: string, chunk?: string): Promise<string> {
  const { hostname, port } = new URL(url);
  const socket = connectSocket(Number(port), hostname);
  let text = "";
  socket.on("data", (bytes) => {
    text += String(bytes);
  });
  // A server may cut off a request that it has refused.
  socket.on("error", () => undefined);
  await once(socket, "connect");
  socket.write(request);
  await eventually(async () => {
    if (chunk !== undefined && text === "") socket.write(chunk);
    return text.includes("\r\n\r\n") || socket.destroyed;
  });
  socket.destroy();
  return text;
}

/** Reads a stream piece by piece. */
function readerOf(response: Response) {
  const reader = (response.body ?? assert.fail("There is no body"))
    .pipeThrough(new TextDecoderStream())
    .getReader();
  let seen = "";
  const until = async (pattern: RegExp): Promise<string> => {
    while (!pattern.test(seen)) {
      const { done, value } = await reader.read();
      if (done) return assert.fail(`The stream has ended before ${pattern}: ${seen}`);
      seen += value;
    }
    return seen;
  };
  const rest = async (): Promise<string> => {
    for (let next = await reader.read(); !next.done; next = await reader.read()) seen += next.value;
    return seen;
  };
  return { until, rest, cancel: () => reader.cancel() };
}

const taskIdIn = (text: string): string =>
  /"(?:taskId|id)":"([\da-f-]{36})"/.exec(text)?.[1] ?? assert.fail(text);
const idsIn = (text: string): number[] => [...text.matchAll(/^id: (\d+)$/gm)].map(([, id]) => Number(id));

/** Resolves when a condition holds. */
async function eventually(condition: () => Promise<boolean>): Promise<void> {
  const end = performance.now() + 20_000;
  while (!(await condition())) {
    assert.ok(performance.now() < end, "It has not come about in 20 seconds");
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

const stateOf = async (url: string, id: string): Promise<string> =>
  (await call(url, "GetTask", { id })).result.status.state;

/** What every host does, beyond what the protocol has checks for. */
export const behaviours: Readonly<Record<string, (places: Places) => Promise<void>>> = {
  async "CARD-04: the card names the URL at which the agent is mounted"({ open }) {
    const response = await fetch(`${open}/.well-known/agent-card.json`);
    const { supportedInterfaces } = (await response.json()) as any;
    for (const { url } of supportedInterfaces) assert.ok(url.startsWith(open), url);
    const tag = response.headers.get("etag") ?? "";
    const again = await fetch(`${open}/.well-known/agent-card.json`, { headers: { "If-None-Match": tag } });
    assert.equal(again.status, 304);
  },

  async "headers of a proxy that is not trusted count for nothing"({ open }) {
    const headers = { "X-Forwarded-Host": "evil.example", Forwarded: "host=evil.example" };
    const card = await fetch(`${open}/.well-known/agent-card.json`, { headers });
    assert.doesNotMatch(await card.text(), /evil/);
  },

  async "STR-01: events arrive when they are made, also at a reader that takes compressed answers"({ open }) {
    const begun = performance.now();
    const stream = readerOf(
      await post(open, "SendStreamingMessage", "drip 3 every 700", { "Accept-Encoding": "gzip" }),
    );
    await stream.until(/000000/);
    const first = performance.now() - begun;
    const text = await stream.rest();
    assert.match(text, /COMPLETED/);
    assert.ok(performance.now() - begun - first > 600, "all of them came together");
  },

  async "STR-11: a stream that says nothing gets comments"({ open }) {
    const stream = readerOf(await post(open, "SendStreamingMessage", "hold 2500"));
    await stream.until(/: keep-alive/);
    assert.match(await stream.rest(), /COMPLETED/);
  },

  async "STR-07: a reader that comes back gets what it has missed, once"({ open }) {
    const first = readerOf(await post(open, "SendStreamingMessage", "drip 20 every 50"));
    const seen = await first.until(/000003/);
    await first.cancel();
    const id = taskIdIn(seen);
    const last = idsIn(seen).at(-1) ?? assert.fail("The events have no ids");
    const body = JSON.stringify({ jsonrpc: "2.0", id: 2, method: "SubscribeToTask", params: { id } });
    const headers = { ...json, "Last-Event-ID": String(last) };
    const text = await readerOf(await fetch(open, { method: "POST", headers, body })).rest();
    const ids = idsIn(text);
    assert.deepEqual(ids, [...new Set(ids)]);
    // The first event of a subscription is the task as the reader has it.
    assert.deepEqual([ids[0], ids[1]], [last, last + 1]);
    assert.match(text, /COMPLETED/);
  },

  async "EXEC-03: work goes on without its reader"({ open }) {
    const stream = readerOf(await post(open, "SendStreamingMessage", "drip 6 every 50"));
    const id = taskIdIn(await stream.until(/000000/));
    await stream.cancel();
    await eventually(async () => (await stateOf(open, id)) === "TASK_STATE_COMPLETED");
  },

  async "OP-CANCEL-01: a cancel ends the stream of the task, and stops its executor"({ open }) {
    const stream = readerOf(await post(open, "SendStreamingMessage", "hold 30000"));
    const id = taskIdIn(await stream.until(/WORKING/));
    const { result } = await call(open, "CancelTask", { id });
    assert.equal(result.status.state, "TASK_STATE_CANCELED");
    assert.match(await stream.rest(), /CANCELED/);
  },

  async "a call that returns at once leaves its work going on"({ open }) {
    const message = { messageId: crypto.randomUUID(), role: "ROLE_USER", parts: [{ text: "hold 300" }] };
    const { result } = await call(open, "SendMessage", {
      message,
      configuration: { returnImmediately: true },
    });
    await eventually(async () => (await stateOf(open, result.task.id)) === "TASK_STATE_COMPLETED");
  },

  async "SEC-08: a body beyond the limit is refused, announced or not"({ guarded }) {
    const large = callText("SendMessage", "x".repeat(120_000));
    assert.equal((await fetch(guarded, { method: "POST", headers: alice, body: large })).status, 413);
    const body = new Blob([large]).stream();
    const init = { method: "POST", headers: alice, body, duplex: "half" } as RequestInit;
    assert.equal((await fetch(guarded, init)).status, 413);
  },

  async "SEC-08: a small body that decompresses beyond the limit is refused, and one within it is read"({
    guarded,
  }) {
    const gzip = (text: string) => {
      const headers = { ...alice, "Content-Encoding": "gzip" };
      return fetch(guarded, { method: "POST", headers, body: gzipSync(callText("SendMessage", text)) });
    };
    assert.equal((await gzip("x".repeat(2_000_000))).status, 413);
    assert.match(await (await gzip("echo small")).text(), /echo: small/);
  },

  async "a large answer arrives whole"({ open }) {
    const text = `big ${"é".repeat(400_000)}`;
    const { result } = (await (await post(open, "SendMessage", text)).json()) as any;
    assert.equal(result.message.parts[0].text, text);
  },

  async "what is no JSON, no request or no path gets an error in the form of the binding"({ open }) {
    const send = (body: string) => fetch(open, { method: "POST", headers: json, body });
    assert.equal(((await (await send("{")).json()) as any).error.code, -32700);
    assert.equal(((await (await send("[]")).json()) as any).error.code, -32600);
    const nothing = await fetch(`${open}/nothing/here`, { headers: version });
    assert.equal(nothing.status, 404);
    assert.equal(((await nothing.json()) as any).error.code, 404);
  },

  async "AUTHN-01: callers need a token, and see their own tasks only"({ guarded }) {
    assert.equal((await post(guarded, "SendMessage", "task")).status, 401);
    const refused = await post(guarded, "SendMessage", "task", { Authorization: "Bearer wrong" });
    assert.match(refused.headers.get("www-authenticate") ?? "", /Bearer/);
    const { result } = (await (await post(guarded, "SendMessage", "task", alice)).json()) as any;
    assert.equal(result.task.status.state, "TASK_STATE_COMPLETED");
    const own = await call(guarded, "GetTask", { id: result.task.id }, alice);
    assert.equal(own.result.id, result.task.id);
    const other = await call(
      guarded,
      "GetTask",
      { id: result.task.id },
      { Authorization: "Bearer bob-token" },
    );
    assert.equal(other.error.code, -32001);
  },

  async "many callers at once get their own answers"({ open }) {
    const texts = Array.from({ length: 50 }, (_, index) => `echo ${index}`);
    const answers = await Promise.all(
      texts.map(async (text) => (await post(open, "SendMessage", text)).json() as any),
    );
    assert.deepEqual(
      answers.map(({ result }) => result.message.parts[0].text),
      texts.map((text) => text.replace("echo", "echo:")),
    );
  },

  async "a caller that leaves in the middle of its request harms nobody"({ open }) {
    const { hostname, port, pathname } = new URL(open);
    const socket = connectSocket(Number(port), hostname);
    socket.on("error", () => undefined);
    await once(socket, "connect");
    socket.write(
      `POST ${pathname} HTTP/1.1\r\nHost: ${hostname}:${port}\r\nContent-Type: application/json\r\nContent-Length: 500\r\n\r\n{`,
    );
    await new Promise((resolve) => setTimeout(resolve, 50));
    socket.destroy();
    assert.match(await (await post(open, "SendMessage", "echo still here")).text(), /still here/);
  },

  async "odd requests get the same answers on every host"({ open }) {
    const { host, pathname } = new URL(open);
    for (const [line, status, fields, body] of [
      [`HEAD ${pathname}/.well-known/agent-card.json`, 200],
      [`HEAD ${pathname}/tasks/x`, 405],
      [`OPTIONS ${pathname}`, 405],
      [`OPTIONS ${pathname}`, 204, "Origin: https://x.example\r\nAccess-Control-Request-Method: POST\r\n"],
      [`PUT ${pathname}`, 405],
      [`GET ${pathname}/tasks/a%2Fb`, 404],
      [`GET ${pathname}/../${pathname.slice(1)}/tasks/x`, 404],
      [`GET ${pathname}/tasks/%00`, 404],
      [`GET ${pathname}/tasks/${"a".repeat(9000)}`, 413],
      [`GET ${pathname}/tasks/x`, 404, "Content-Type: application/json\r\nContent-Length: 2\r\n", "{}"],
    ] as const) {
      const text = await answerTo(
        open,
        `${line} HTTP/1.1\r\nHost: ${host}\r\nA2A-Version: 1.0\r\n${fields ?? ""}\r\n${body ?? ""}`,
      );
      assert.match(text, new RegExp(`^HTTP/1.1 ${status} `), `${line}: ${text.slice(0, 300)}`);
    }
  },

  async "CARD-04: a Host that is none is not repeated in the card"({ open }) {
    const { pathname } = new URL(open);
    for (const name of ["ann:s3cr3t@evil.example", "evil.example/s3cr3t?x", "s3cr3t evil"]) {
      const text = await answerTo(
        open,
        `GET ${pathname}/.well-known/agent-card.json HTTP/1.1\r\nHost: ${name}\r\n\r\n`,
      );
      assert.doesNotMatch(text, /s3cr3t|http:\/\/\//, name);
    }
  },

  async "a body that never ends is refused at its limit"({ guarded }) {
    const { host, pathname } = new URL(guarded);
    const fields = Object.entries(alice).map(([name, value]) => `${name}: ${value}\r\n`);
    const head = `POST ${pathname} HTTP/1.1\r\nHost: ${host}\r\n${fields.join("")}Transfer-Encoding: chunked\r\n\r\n`;
    const chunk = `4000\r\n${" ".repeat(0x4000)}\r\n`;
    const text = await answerTo(guarded, head, chunk);
    assert.match(text, /^HTTP\/1.1 413 /);
  },
};
