import assert from "node:assert/strict";
import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";
import { setTimeout } from "node:timers/promises";
import { test } from "vitest";
import { AgentGuard } from "../../src/inspector/agent-guard.js";
import { GuardedGrpc } from "../../src/inspector/guarded-grpc.js";
import { serve } from "../../src/server/index.js";
import { agent } from "../cli/agent.js";
import { listenFor } from "../support/listen.js";
import { serveFor } from "../support/peer.js";
import { inspectFor, openFor } from "./local.js";

test("the checks of conformance come one by one with their exchanges, and then the report", async (t) => {
  const { url } = await serveFor(t, agent());
  const { connection, events, next } = await openFor(t, await inspectFor(t, { agent: url }));
  const id = connection.nextId();
  const run = {
    id,
    target: url,
    agent: url,
    only: ["OP-GET-02", "CARD-01"],
    credentials: { bearer: "s3cret-bearer" },
  };
  await connection.request("POST", "conformance", run);
  const { report } = await next("reported");
  const checked = events.filter((event) => event.type === "checked");
  assert.deepEqual(
    checked.map(({ done, all }) => [done, all]),
    checked.map((_, at) => [at + 1, checked.length]),
  );
  const verdicts = new Map(report.requirements.map((one) => [one.id, one.verdict]));
  for (const asked of run.only) assert.equal(verdicts.get(asked), "met", asked);
  for (const { id, checks } of report.requirements)
    for (const at of checks)
      assert.ok(checked[at]?.result.ids.includes(id), "the report counts as they came");
  const [exchange] = checked.flatMap(({ result }) => result.exchanges);
  assert.equal(exchange?.status, 200);
  assert.doesNotMatch(JSON.stringify(events), /s3cret/);
});

test("the checks over gRPC connect to an agent on this machine, and to no such address for another agent", async (t) => {
  const server = await serve(agent(), { bindings: ["JSONRPC", "GRPC"] });
  t.onTestFinished(() => server.close(0));
  const { url } = server;
  const card = (await (await fetch(`${url}/.well-known/agent-card.json`)).json()) as object;
  let connections = 0;
  const own = createServer(() => {
    connections += 1;
  }).listen(0, "127.0.0.1");
  await once(own, "listening");
  t.onTestFinished(() => void own.close());
  const { connection, next } = await openFor(t, await inspectFor(t, { agent: url }));
  const check = (target: string | object, of: string) => {
    const run = { id: connection.nextId(), target, agent: of, only: ["OP-GET-02"] };
    return connection.request("POST", "conformance", run);
  };
  await check(url, url);
  const met = (await next("reported")).report.requirements.find(({ id }) => id === "OP-GET-02");
  assert.equal(met?.verdict, "met");
  const address = `127.0.0.1:${(own.address() as AddressInfo).port}`;
  const supportedInterfaces = [{ url: address, protocolBinding: "GRPC", protocolVersion: "1.0" }];
  await check({ ...card, supportedInterfaces }, "https://agent.example");
  await next("reported", 1);
  assert.equal(connections, 0);
});

test("a call over gRPC that is pending when its run ends opens no connection", async (t) => {
  let connections = 0;
  const server = createServer((socket) => {
    connections += 1;
    socket.destroy();
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  t.onTestFinished(() => void server.close());
  const agent = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const guard = new AgentGuard({ named: new URL(agent), allowPrivate: false });
  t.onTestFinished(() => guard.close());
  const grpc = new GuardedGrpc(guard, agent);
  const call = () =>
    grpc.fetch(`${agent}/lf.a2a.v1.A2AService/GetTask`, { method: "POST", body: '{"id":"x"}' });
  await assert.rejects(call(), { message: "The call failed" });
  assert.equal(connections, 1);
  const pending = assert.rejects(call(), /The connections of the run are closed/);
  grpc.close();
  await pending;
  await assert.rejects(call(), /The connections of the run are closed/);
  assert.equal(connections, 1);
});

test("a run that cannot be made, or is ended, says so", async (t) => {
  const silent = await listenFor(t, () => undefined);
  const { connection, next } = await openFor(t, await inspectFor(t, { agent: silent }));
  const begin = async (target: string) => {
    const id = connection.nextId();
    await connection.request("POST", "conformance", { id, target, agent: silent });
    return id;
  };
  await begin("http://10.0.0.1/");
  assert.match((await next("runFailed")).message, /private or reserved/);
  const id = await begin(silent);
  await setTimeout(10);
  connection.abort(id);
  const ended = await next("runFailed", 1);
  assert.deepEqual([ended.id, ended.message], [id, "The run was ended here"]);
  await begin("not a url");
  assert.match((await next("runFailed", 2)).message, /URL/);
});

test("a number is for one call or run at a time, and a page has so many", async (t) => {
  const silent = await listenFor(t, () => undefined);
  const { connection } = await openFor(t, await inspectFor(t, { agent: silent }));
  const begin = (id: number) =>
    connection.request("POST", "conformance", { id, target: silent, agent: silent });
  await begin(1);
  await assert.rejects(begin(1), /1 is the number of something/);
  for (let id = 2; id <= 128; id += 1) await begin(id);
  await assert.rejects(begin(129), /Too much is open/);
});
