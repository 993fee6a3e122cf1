import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "vitest";
import { connect } from "../../src/client/index.js";
import {
  collect,
  readRecording,
  record,
  replay,
  summarize,
  writeRecording,
} from "../../src/testing/index.js";
import { serveFor } from "../support/peer.js";
import { agent } from "./agent.js";
import { Terminal } from "./terminal.js";

/** Runs a stream and a refused call against an agent of its own; the file of the recording. */
async function recorded(t: Parameters<typeof serveFor>[0], text: string): Promise<string> {
  const { url } = await serveFor(t, agent());
  const { fetch, exchanges } = record();
  const client = await connect(url, { fetch });
  await collect(client.stream(text));
  await client.getTask({ id: "none" }).catch(() => undefined);
  return writeRecording({ agent: { url, name: "Test agent" }, exchanges });
}

test("parley recording show tells the calls of a recording and what the agent has said", async (t) => {
  const shell = new Terminal(t);
  const file = await recorded(t, "count one two");
  writeFileSync(join(shell.folder, "run.json"), file);
  const { out, exit, err } = await shell.parley("recording", "show", "run.json");
  assert.equal(exit, 0, err);
  assert.match(out, /^Agent: Test agent \(http:\/\/127\.0\.0\.1:\d+\)$/m);
  assert.match(out, /^2\. POST http.* 200 {2}\d+ ms:$/m);
  assert.match(out, /^\+\d+ ms {2}\d+ {2}artifact answer: one$/m);
  assert.match(out, /^\+\d+ ms {2}\d+ {2}status COMPLETED: done/m);
  assert.match(out, /^\+\d+ ms {2}error /m);
  assert.ok(!out.includes("\u001b"), "an agent does not control the terminal");
  const { json } = await shell.parley("recording", "show", "run.json", "-o", "json");
  assert.deepEqual(json, JSON.parse(file));
});

test("parley recording compare says what differs, and whether anything does", async (t) => {
  const shell = new Terminal(t);
  writeFileSync(join(shell.folder, "a.json"), await recorded(t, "count one two"));
  writeFileSync(join(shell.folder, "b.json"), await recorded(t, "count one three"));
  const same = await shell.parley("recording", "compare", "a.json", "a.json");
  assert.equal(same.exit, 0, same.err);
  assert.doesNotMatch(same.out, /^[-+] /m);
  const { out, exit } = await shell.parley("recording", "compare", "a.json", "b.json");
  assert.equal(exit, 1);
  assert.match(out, /^- .*artifact : two$/m);
  assert.match(out, /^\+ .*artifact : three$/m);
  assert.match(out, /^ {2}.*artifact answer: one$/m);
  const { json } = await shell.parley("recording", "compare", "a.json", "b.json", "-o", "json");
  assert.ok(json.exchanges.some(({ isSame }: { isSame: boolean }) => !isSame));
});

test("a file that is no recording is named", async (t) => {
  const shell = new Terminal(t);
  writeFileSync(join(shell.folder, "card.json"), "{}");
  const wrong = await shell.parley("recording", "show", "card.json", "-o", "json");
  assert.deepEqual([wrong.exit, wrong.json.error.code], [1, "PARLEY_ERR_FILE"]);
  assert.match(wrong.json.error.message, /card\.json cannot be used: The file is not a recording/);
  const none = await shell.parley("recording", "compare", "card.json", "none.json");
  assert.match(none.err, /PARLEY_ERR_FILE/);
});

test("a test answers from the file of a recording", async (t) => {
  const { agent, exchanges } = readRecording(await recorded(t, "count one two"));
  const client = await connect(agent.url, { fetch: replay(exchanges) });
  const events = summarize(await collect(client.stream("count one two")));
  assert.match(events.at(-1) ?? "", /^status COMPLETED: done/);
  await assert.rejects(client.getTask({ id: "none" }), { code: "TASK_NOT_FOUND" });
});
