import assert from "node:assert/strict";
import { test } from "vitest";
import { connect } from "../../src/client/index.js";
import { reply } from "../../src/index.js";
import { serve } from "../../src/server/index.js";
import { plainCard, serveExecutor } from "../support/peer.js";

for (const served of ["0.1-flat", "0.1x"]) {
  test(`LEG-02: the flat dialect is served as ${served}, and the agent learns its one name`, async (t) => {
    const seen: string[] = [];
    const { url } = await serveExecutor(
      t,
      async function* () {
        yield reply("hi");
      },
      {
        versions: ["1.0", served],
        interceptors: [
          ({ call }, proceed) => {
            seen.push(call.version);
            return proceed();
          },
        ],
      },
    );
    const card = await (await fetch(`${url}/agentCard`)).json();
    assert.ok(!/flat|0\.1x/.test(JSON.stringify(card)), "the card has the words of its time");
    const headers: (string | null)[] = [];
    for (const wanted of ["0.1-flat", "0.1x"]) {
      const client = await connect(`${url}/agentCard`, {
        versions: [wanted],
        fetch: (input, init) => {
          headers.push(new Headers(init?.headers).get("a2a-version"));
          return fetch(input, init);
        },
      });
      assert.equal(client.agentInterface.protocolVersion, "0.1-flat");
      assert.equal((await client.sendText("hi")).task?.status.state, "TASK_STATE_COMPLETED");
    }
    assert.deepEqual(seen, ["0.1-flat", "0.1-flat"]);
    assert.ok(!headers.includes("0.1-flat") && !headers.includes("0.1x"), "no header names it");
  });
}

test("a version that is not served is refused with the names that there are", async () => {
  await assert.rejects(
    async () => serve({ card: plainCard, async *execute() {} }, { versions: ["0.1y"] }),
    /versions: 0\.1y is not one of 1\.0, 0\.3, 0\.1-flat, 0\.1/,
  );
});
