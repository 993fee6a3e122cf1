import assert from "node:assert/strict";
import { test } from "node:test";
import { checkAgent } from "../../src/conformance/check-agent.js";
import { callers, defects, serveSpoiled } from "./spoiled.js";

test("every planted defect is found, as a violation of its requirement and with what was sent and received", async (t) => {
  const { url, suffer } = await serveSpoiled(t);
  const all = Object.entries(defects);
  assert.ok(all.length >= 10);
  const sound = await checkAgent(url, {
    only: all.map(([, { breaks }]) => breaks),
    patience: 60,
    ...callers,
  });
  assert.deepEqual(
    sound.checks.filter(({ verdict }) => verdict === "violated").map(({ claim }) => claim),
    [],
  );
  for (const [name, defect] of all) {
    await t.test(`${defect.breaks}: ${name}`, async () => {
      suffer(defect);
      const { requirements, checks } = await checkAgent(url, {
        ...{ only: [defect.breaks], patience: 60, ...callers },
        ...(defect.protocol !== undefined && { protocol: defect.protocol }),
      });
      const row = requirements.find(({ id }) => id === defect.breaks);
      assert.equal(row?.verdict, "violated");
      assert.equal(row.level, "MUST");
      const [check] = checks.filter(({ verdict }) => verdict === "violated");
      const [exchange] = check?.exchanges ?? [];
      assert.ok(check?.found && exchange?.url && exchange.status && exchange.responseHeaders);
    });
  }
});
