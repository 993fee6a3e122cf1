import assert from "node:assert/strict";
import { afterAll, test } from "vitest";
import { checkAgent } from "../../src/conformance/check-agent.js";
import { generationDefects } from "./generation-defects.js";
import { callers, defects, serveSpoiled } from "./spoiled.js";

const { url, suffer } = await serveSpoiled({ onTestFinished: afterAll });
const all = Object.entries({ ...defects, ...generationDefects });

test("an agent without a planted defect violates none of the requirements that the defects break", async () => {
  assert.ok(all.length >= 10);
  const sound = await checkAgent(url, {
    only: all.map(([, { breaks }]) => breaks),
    responseTimeout: 60,
    ...callers,
  });
  assert.deepEqual(
    sound.checks.filter(({ verdict }) => verdict === "violated").map(({ claim }) => claim),
    [],
  );
});

for (const [name, defect] of all) {
  test(`${defect.breaks}: a planted defect is found, with what was sent and received: ${name}`, async () => {
    suffer(defect);
    const { requirements, checks } = await checkAgent(url, {
      ...{ only: [defect.breaks], responseTimeout: defect.responseTimeout ?? 60, ...callers },
      protocol: defect.protocol ?? "1.0",
    });
    const row = requirements.find(({ id }) => id === defect.breaks);
    assert.equal(row?.verdict, "violated");
    assert.equal(row.level, defect.level ?? "MUST");
    const [check] = checks.filter(({ verdict }) => verdict === "violated");
    const [exchange] = check?.exchanges ?? [];
    assert.ok(check?.found && exchange?.url && exchange.status && exchange.responseHeaders);
  });
}
