import assert from "node:assert/strict";
import { once } from "node:events";
import { type IncomingMessage, request } from "node:http";
import { setTimeout } from "node:timers/promises";
import { test } from "vitest";
import { connect } from "../../src/client/index.js";
import type { InspectorEvent } from "../../src/inspector/events.js";
import {
  FrameReader,
  PAGE_HEADER,
  type PageFrame,
  type Piece,
  writeCall,
} from "../../src/inspector/frames.js";
import { agent } from "../cli/agent.js";
import { listenFor } from "../support/listen.js";
import { serveFor } from "../support/peer.js";
import { inspectFor, openFor, withToken } from "./local.js";

/** What one call has shown, in order. */
type Seen = (InspectorEvent | Piece)[];

test("a page calls an agent with the client, and sees what went over the line", async (t) => {
  const { url } = await serveFor(t, agent());
  const { connection } = await openFor(t, await inspectFor(t, { agent: url }));
  const calls = new Map<number, Seen>();
  const watch = (seen: InspectorEvent | Piece, { id }: { readonly id: number }) => {
    calls.set(id, [...(calls.get(id) ?? []), seen]);
  };
  const client = await connect(url, { fetch: connection.fetchFor({ agent: url, watch }) });
  let state: string | number | undefined;
  for await (const { statusUpdate } of client.stream("count one two"))
    state = statusUpdate?.status.state ?? state;
  assert.equal(state, "TASK_STATE_COMPLETED");

  const [, stream = []] = [...calls].find(([id]) => id === 2) ?? [];
  const types = stream.map((seen) =>
    "bytes" in seen && !("type" in seen) ? "piece" : (seen as InspectorEvent).type,
  );
  assert.deepEqual([...new Set(types)].sort(), ["answered", "ended", "piece", "sent"]);
  const [sent, answered, ended] = ["sent", "answered", "ended"].map((type) =>
    stream.find((seen) => "type" in seen && seen.type === type),
  ) as any[];
  assert.equal(sent.method, "POST");
  assert.ok(!Number.isNaN(Date.parse(sent.at)));
  const header = new Headers(sent.headers);
  assert.equal(header.get("host"), new URL(url).host, "with the fields that Node adds");
  assert.equal(header.get("content-length"), String(sent.bytes));
  assert.equal(answered.status, 200);
  assert.match(new Headers(answered.headers).get("content-type") ?? "", /^text\/event-stream/);
  assert.match(answered.address, /^127\.0\.0\.1 \d+$/);
  const pieces = stream.filter((seen): seen is Piece => !("type" in seen));
  const text = Buffer.concat(pieces.map(({ bytes }) => bytes)).toString();
  assert.equal(ended.bytes, Buffer.byteLength(text));
  assert.match(text, /^id: 1\ndata: /m);
  const times = [answered.time, ...pieces.map(({ time }) => time), ended.time];
  assert.deepEqual(
    times,
    times.toSorted((a, b) => a - b),
  );
  assert.ok(times[0] > 0);
});

test("an agent elsewhere cannot lead the inspector to this machine or a private network", async (t) => {
  const asked: (string | undefined)[] = [];
  const secret = await listenFor(t, ({ url }, res) => {
    asked.push(url);
    res.end("secret");
  });
  const { connection } = await openFor(t, await inspectFor(t));
  const call = connection.fetchFor({ agent: "https://agent.example" });
  const port = new URL(secret).port;
  for (const url of [
    ...[secret, `http://localhost:${port}/`, `http://[::1]:${port}/`, `http://2130706433:${port}/`],
    ...[
      "http://10.0.0.1/",
      "http://192.168.1.1/",
      "http://169.254.169.254/latest/meta-data/",
      "http://[fd00::1]/",
    ],
    ...[
      `http://[::ffff:127.0.0.1]:${port}/`,
      "http://router.local/",
      "file:///etc/passwd",
      "http://0.0.0.0:80/",
    ],
  ]) {
    const error = await call(url).catch(
      (thrown: unknown) => thrown as TypeError & { cause: { failure: string } },
    );
    assert.ok(error instanceof TypeError, url);
    assert.equal(error.cause.failure, "REFUSED_URL", url);
  }
  assert.deepEqual(asked, []);
});

test("an agent that the command line has named may be called on this machine, and no other one there for another agent", async (t) => {
  const named = await listenFor(t, (_, res) => res.end("named"));
  const beside = await listenFor(t, (_, res) => res.end("beside"));
  const { connection } = await openFor(t, await inspectFor(t, { agent: named }));
  const textOf = async (agent: string, url: string) => (await connection.fetchFor({ agent })(url)).text();
  assert.equal(await textOf(named, named), "named");
  assert.equal(
    await textOf(named, beside),
    "beside",
    "another port: an interface of its card, or its issuer",
  );
  for (const agent of [beside, "https://agent.example", "not a url"])
    await assert.rejects(
      textOf(agent, named),
      { message: /must not point to a private or reserved address/ },
      agent,
    );
  await assert.rejects(textOf(named, "http://10.0.0.1/"), { message: /private or reserved/ });
});

test("--allow-private allows this machine for every agent", async (t) => {
  const url = await listenFor(t, (_, res) => res.end("here"));
  const { connection } = await openFor(t, await inspectFor(t, { allowPrivate: true }));
  assert.equal(await (await connection.fetchFor({ agent: "https://agent.example" })(url)).text(), "here");
});

test("a redirect is shown and not followed, and leads the client to no private address", async (t) => {
  const target = "http://10.0.0.1/admin";
  const agent = await listenFor(t, (_, res) => res.writeHead(302, { Location: target }).end());
  const { connection, events } = await openFor(t, await inspectFor(t, { agent }));
  const call = connection.fetchFor({ agent });
  const response = await call(agent);
  assert.deepEqual([response.status, response.headers.get("location")], [302, target]);
  await assert.rejects(connect(agent, { fetch: call, retry: false }), { code: "UNREACHABLE" });
  const refused = events.filter((event) => event.type === "failed");
  assert.deepEqual(new Set(refused.map(({ code }) => code)), new Set(["REFUSED_URL"]));
});

test("a longer answer than the page takes is cut off, and its sender is left", async (t) => {
  const hasLeft = new AbortController();
  let written = 0;
  const agent = await listenFor(t, (_, res) => {
    res.on("close", () => hasLeft.abort());
    const fill = () => {
      while (!res.destroyed && res.write(Buffer.alloc(65_536))) written += 65_536;
    };
    res.on("drain", fill);
    fill();
  });
  const { connection, next } = await openFor(t, await inspectFor(t, { agent }));
  const call = connection.fetchFor({ agent, maxBytes: 1024 * 1024 });
  const response = await call(agent);
  await assert.rejects(response.arrayBuffer(), /longer than 1048576 bytes/);
  assert.equal((await next("failed")).code, "TOO_LARGE");
  if (!hasLeft.signal.aborted) await once(hasLeft.signal, "abort");
  assert.ok(written < 16 * 1024 * 1024, `${written} bytes were sent`);
});

test("an answer of 50 MiB waits for a page that does not read, and a stream that never ends does too", async (t) => {
  let written = 0;
  const agent = await listenFor(t, (_, res) => {
    const fill = () => {
      while (!res.destroyed && res.write(Buffer.alloc(65_536))) written += 65_536;
    };
    res.on("drain", fill);
    fill();
  });
  const inspected = await inspectFor(t, { agent });
  // A page whose connection is open and which takes nothing of it, as one that a debugger has stopped.
  const opened = request(`${inspected.origin}/api/events`, {
    method: "POST",
    headers: withToken(inspected),
  }).end();
  const [events] = (await once(opened, "response")) as [IncomingMessage];
  t.onTestFinished(() => void events.destroy());
  const [{ event }] = new FrameReader().read((await once(events, "data"))[0]) as [PageFrame];
  events.pause();
  const page = event?.type === "opened" ? event.page : assert.fail("no event");
  for (let id = 1; id <= 4; id += 1) {
    const body = writeCall({ id, method: "GET", url: agent, headers: [], agent });
    const headers = withToken(inspected, { [PAGE_HEADER]: page });
    assert.equal(
      (await fetch(`${inspected.origin}/api/fetch`, { method: "POST", headers, body })).status,
      202,
    );
  }
  let before = -1;
  while (written !== before) {
    before = written;
    await setTimeout(200);
  }
  assert.ok(written < 50 * 1024 * 1024, `${written} bytes were taken from the agent`);
});

test("a call ends with the page's interest in it, and with the page", async (t) => {
  const left: string[] = [];
  let leave: () => void = () => undefined;
  const agent = await listenFor(t, ({ url = "" }, res) => {
    res.writeHead(200, { "Content-Type": "text/event-stream" }).write("data: 1\n\n");
    res.on("close", () => {
      left.push(url);
      leave();
    });
  });
  const hasLeft = async (path: string) => {
    while (!left.includes(path))
      await new Promise<void>((resolve) => {
        leave = resolve;
      });
  };
  const inspected = await inspectFor(t, { agent });
  const { connection, next } = await openFor(t, inspected);
  const call = connection.fetchFor({ agent });

  const stop = new AbortController();
  const aborted = await call(`${agent}/aborted`, { signal: stop.signal });
  stop.abort();
  await assert.rejects(aborted.text(), { name: "AbortError" });
  await hasLeft("/aborted");
  assert.equal((await next("failed")).code, "ABORTED");

  const cancelled = await call(`${agent}/cancelled`);
  await cancelled.body?.cancel();
  await hasLeft("/cancelled");

  await call(`${agent}/closed`);
  connection.close();
  await hasLeft("/closed");

  const other = await openFor(t, inspected);
  await other.connection.fetchFor({ agent })(`${agent}/stopped`);
  await inspected.close();
  await hasLeft("/stopped");
});

test("what fails before an answer, and in the middle of one, is told apart", async (t) => {
  const agent = await listenFor(t, (_, res) => {
    res.writeHead(200, { "Content-Length": 100 }).write("half");
    setImmediate(() => res.destroy());
  });
  const { connection, next } = await openFor(t, await inspectFor(t, { agent }));
  const call = connection.fetchFor({ agent });
  const response = await call(agent);
  await assert.rejects(response.text());
  assert.equal((await next("failed")).code, "INTERRUPTED");
  // Port 1 is the multiplexer of TCP, which no machine serves.
  await assert.rejects(call("http://127.0.0.1:1/"), { message: /ECONNREFUSED/ });
  assert.equal((await next("failed", 1)).code, "UNREACHABLE");
});
