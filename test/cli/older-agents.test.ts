import assert from "node:assert/strict";
import { test } from "vitest";
import { serveFor } from "../support/peer.js";
import { agent } from "./agent.js";
import { Terminal } from "./terminal.js";

for (const version of ["0.3", "0.1", "0.1-flat"] as const) {
  test(`LEG-02: agents of ${version} are called without options, from the card to the task`, async (t) => {
    const { url } = await serveFor(t, agent(), { versions: [version] });
    const shell = new Terminal(t, url);
    assert.equal((await shell.parley("card", "get")).exit, 0);
    const sent = await shell.parley("send", "hi", "-o", "json");
    assert.equal(sent.exit, 0, sent.err);
    assert.match(sent.err, /^warning: the agent speaks A2A 0\.\d\S* only, older than 1\.\d+/m);
    assert.match(sent.out, /TASK_STATE_COMPLETED|"message"/);
    const streamed = await shell.parley("send", "hi", "--stream");
    assert.equal(streamed.exit, 0, streamed.err);
  });

  test(`VER-19: --a2a-min-version refuses agents of ${version} before anything is sent`, async (t) => {
    const { url } = await serveFor(t, agent(), { versions: [version] });
    const shell = new Terminal(t, url);
    const sent: string[] = [];
    shell.fetch = (input, init) => {
      if (init?.method === "POST") sent.push(String(input));
      return fetch(input, init);
    };
    const { exit, err } = await shell.parley("send", "hi", "--a2a-min-version", "1.0");
    assert.notEqual(exit, 0);
    assert.match(
      err,
      /no interface that this client can use. It offers: .*0\.1|no interface that this client can use. It offers: .*0\.3/,
    );
    assert.deepEqual(sent, []);
    shell.env.A2ACLI_A2A_MIN_VERSION = "1.0";
    assert.notEqual((await shell.parley("send", "hi")).exit, 0);
    assert.equal((await shell.parley("send", "hi", "--a2a-min-version", "0.1")).exit, 0);
  });
}

test("LEG-02: the flat dialect is asked for by its name, also in the earlier spelling, and no other version stands for it", async (t) => {
  const { url } = await serveFor(t, agent(), { versions: ["0.1-flat"] });
  const shell = new Terminal(t, url);
  for (const name of ["0.1-flat", "0.1x"]) {
    const { exit, err } = await shell.parley("send", "hi", "--a2a-version", name);
    assert.equal(exit, 0, err);
  }
  const { exit, err } = await shell.parley("send", "hi", "--a2a-version", "0.1");
  assert.notEqual(exit, 0);
  assert.match(err, /It offers: JSONRPC 0\.1-flat/);
  const odd = await shell.parley("send", "hi", "--a2a-version", "0.1y");
  assert.match(odd.err, /"0\.1y" is not a protocol version.*0\.1-flat/);
});
