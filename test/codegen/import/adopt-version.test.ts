import assert from "node:assert/strict";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { test } from "vitest";
import { adoptVersion } from "../../../codegen/import/adopt-version.js";
import { protocolVersion } from "../../../src/protocol/operations.js";
import { scratch } from "./scratch.js";

test("the newest version is not adopted again, nor one without generated code, and another major version needs a codec of its own", async (t) => {
  const place = await scratch(["src/protocol/model.ts"]);
  t.onTestFinished(() => place.remove());
  assert.deepEqual(await adoptVersion(place.root, protocolVersion), {
    lines: [`${protocolVersion} is the newest already`],
    exitCode: 0,
  });
  const later = protocolVersion.replace(/\d+$/, (minor) => `${Number(minor) + 1}`);
  assert.deepEqual(await adoptVersion(place.root, later), {
    lines: [`schema/v${later} is not there yet: npm run schema:import writes it`],
    exitCode: 1,
  });
  await mkdir(join(place.root, `schema/v${later}`), { recursive: true });
  await place.file(`schema/v${later}/operations.json`, {});
  assert.deepEqual(await adoptVersion(place.root, "0.3"), {
    lines: [`0.3 is not later than ${protocolVersion}, the newest: there is nothing to adopt`],
    exitCode: 1,
  });
  assert.deepEqual(await adoptVersion(place.root, later), {
    lines: [`generated/v${later} is not there yet: npm run codegen writes it`],
    exitCode: 1,
  });
  assert.deepEqual(await adoptVersion(place.root, "2.0"), {
    lines: [`2.0 is not a minor version of ${protocolVersion}: it needs a codec of its own`],
    exitCode: 1,
  });
});
