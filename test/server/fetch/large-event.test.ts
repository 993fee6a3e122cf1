import assert from "node:assert/strict";
import { test } from "vitest";
import { createHandler } from "../../../src/server/fetch/index.js";
import { gate } from "../../support/both.js";
import { callText, json, ScriptedHandler, scripted, taskNamed } from "../scripted-agent.js";

const large = "y".repeat(1024 * 1024);

for (const when of ["the end of its stream", "the end of the handler"])
  test(`SEC-08: a large event leaves in slices, and ${when} does not cut it off`, async () => {
    const { opened } = gate();
    const agent = scripted(
      new ScriptedHandler("large", async function* () {
        yield { task: { ...taskNamed("large"), artifacts: [{ artifactId: "a", parts: [{ text: large }] }] } };
        if (when === "the end of the handler") await opened;
      }),
    );
    const handler = createHandler(agent);
    const body = callText("SendStreamingMessage");
    const response = await handler(
      new Request("https://agent.example", { method: "POST", headers: json, body }),
    );
    const reader = (response.body ?? assert.fail("There is no body")).getReader();
    const pieces: Uint8Array[] = [];
    const closing: Promise<void>[] = [];
    for (let next = await reader.read(); !next.done; next = await reader.read()) {
      pieces.push(next.value);
      if (pieces.length === 2 && when === "the end of the handler") closing.push(handler.close(5));
    }
    await Promise.all(closing);
    await handler.close(0);
    assert.deepEqual(
      pieces.slice(0, 2).map(({ length }) => length),
      [128 * 1024, 128 * 1024],
    );
    const text = Buffer.concat(pieces).toString();
    assert.ok(text.includes(large));
    assert.ok(text.endsWith("}\n\n"));
  });
