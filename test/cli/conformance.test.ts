import assert from "node:assert/strict";
import { test } from "vitest";
import { completed, inputRequired } from "../../src/index.js";
import { serveExecutor } from "../support/peer.js";
import { Terminal } from "./terminal.js";

const answering = async function* ({ text }: { text: string }) {
  yield text === "book" ? inputRequired("When?") : completed();
};

test("A2ACLI_CONFORM_001: parley conformance reports by requirement, with level, claim, and what was sent and received", async (t) => {
  const { url } = await serveExecutor(t, answering);
  const terminal = new Terminal(t, url);
  const { exit, json, err } = await terminal.parley(
    ...["conformance", "--only", "OP-CANCEL-02,OP-CANCEL-03", "--say", "input-required=book", "-o", "json"],
  );
  assert.equal(exit, 0, err);
  const levels = json.requirements.map(({ id, level, verdict }: Record<string, string>) => [
    id,
    level,
    verdict,
  ]);
  assert.deepEqual(levels, [
    ["OP-CANCEL-02", "MUST", "met"],
    ["OP-CANCEL-03", "AMBIGUOUS", "met"],
    ["IDEM-04", "MUST", "met"],
  ]);
  const [check] = json.checks;
  assert.equal(check.over, "JSONRPC");
  assert.match(check.exchanges.at(-1).requestBody, /GetTask/);
  assert.equal(check.exchanges.at(-1).status, 200);
  const unseen = json.checks.find(({ verdict }: { verdict: string }) => verdict === "unprovoked");
  assert.match(unseen.found, /^no message brought the agent to "failed"/);
});

test("A2ACLI_CONFORM_001: a violation is shown with its exchange, and is exit 1", async (t) => {
  const { url } = await serveExecutor(t, answering);
  const terminal = new Terminal(t, url);
  // Methods that do not exist are answered as if they had gone wrong.
  terminal.fetch = async (input, init) => {
    const response = await fetch(input, init);
    return new Response((await response.text()).replace("-32601", "-32603"), response);
  };
  const { exit, out, err } = await terminal.parley("conformance", "--only", "RPC-07", "-o", "text");
  assert.equal(exit, 1);
  assert.match(out, /^MUST: 0 met, 2 violated, 0 not provoked$/m);
  assert.match(
    out,
    /^RPC-07 \(JSONRPC\):\nexpected: .*\nfound: .* instead of -32601\n> POST .*\n> .*PaintTask/m,
  );
  assert.match(err, /The agent violates RPC-07, RPC-02 \(PARLEY_ERR_NOT_CONFORMING\)/);
});

test("conformance is told what cannot be right", async (t) => {
  const terminal = new Terminal(t, "http://127.0.0.1:9");
  assert.equal((await terminal.parley("conformance", "--say", "asleep=x")).exit, 2);
  assert.equal((await terminal.parley("conformance")).exit, 3);
  const { url } = await serveExecutor(t, answering);
  assert.equal((await terminal.parley("conformance", url, "--only", "OP-NONE")).exit, 2);
});
