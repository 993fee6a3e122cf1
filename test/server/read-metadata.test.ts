import assert from "node:assert/strict";
import { test } from "vitest";
import { type CallContext, type Executor, inputRequired } from "../../src/index.js";
import { serveExecutor } from "../support/peer.js";

const execute: Executor = async function* () {
  yield inputRequired("which?");
};

/** A message as callers of a version write it. */
const messages = {
  "0.1": { role: "user", parts: [{ type: "text", text: "go" }] },
  "0.1-flat": { role: "user", parts: [{ text: "go" }] },
};

for (const [version, message] of Object.entries(messages)) {
  test(`metadata of reads of ${version}, which the model has no place for, is in the call`, async (t) => {
    const seen: unknown[] = [];
    const scope = ({ metadata }: CallContext) => {
      seen.push(metadata);
      return { tenant: "", owner: "" };
    };
    const { url } = await serveExecutor(t, execute, {
      versions: ["1.0", version as keyof typeof messages],
      auth: { scope },
      push: {},
    });
    const metadata = { trace: "abc" };
    const metadataOf = async (method: string, params: object) => {
      seen.length = 0;
      const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method, params });
      await (
        await fetch(url, { method: "POST", headers: { "Content-Type": "application/json" }, body })
      ).text();
      return seen.at(-1);
    };
    const id = "one";
    await metadataOf("tasks/send", { id, message });
    assert.deepEqual(await metadataOf("tasks/get", { id, metadata }), metadata);
    assert.deepEqual(await metadataOf("tasks/pushNotification/get", { id, metadata }), metadata);
    assert.equal(await metadataOf("tasks/get", { id }), undefined);
    // The model has a place for that of a cancel and of a send.
    assert.equal(await metadataOf("tasks/send", { id, message, metadata }), undefined);
    assert.equal(await metadataOf("tasks/cancel", { id, metadata }), undefined);
  });
}
