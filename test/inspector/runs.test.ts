import assert from "node:assert/strict";
import { setTimeout } from "node:timers/promises";
import { test } from "vitest";
import { agent } from "../cli/agent.js";
import { serveFor } from "../support/peer.js";
import { inspectFor, listenFor, openFor } from "./local.js";

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
