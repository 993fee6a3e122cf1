import assert from "node:assert/strict";
import { join } from "node:path";
import { afterAll, beforeAll, describe, test } from "vitest";
import { checkAgent } from "../../src/conformance/check-agent.js";
import { sdkClientTests } from "../interop/sdk-client.js";
import { behaviours } from "./behaviours.js";
import { hosts } from "./hosts.js";
import type { Hosted } from "./processes.js";
import { folder, written } from "./programs.js";

/** Hosts to test, separated by commas; all that are installed by default. */
const chosen = process.env.HOSTS?.split(",") ?? Object.keys(hosts);

/** What is served: for anyone, in earlier versions as well, and for callers with a token. */
const settings = {
  open: { VERSIONS: "1.0", MAX_BODY_BYTES: "1000000" },
  older: { VERSIONS: "1.0,0.3,0.1" },
  guarded: { VERSIONS: "1.0", AUTH: "bearer", MAX_BODY_BYTES: "100000" },
};

/** Checks from outside, by protocol version: that many find what the protocol asks for, on every host. */
const expected = { "1.0": 440, "0.3": 16, "0.1": 12 };

for (const name of chosen) {
  const start = hosts[name];
  describe.skipIf(start === undefined)(name, () => {
    let open: Hosted;
    let older: Hosted;
    let guarded: Hosted;
    const met: Record<string, number> = {};
    beforeAll(async () => {
      if (start === undefined) return;
      open = await start(settings.open);
      older = await start(settings.older);
      guarded = await start(settings.guarded);
    });
    afterAll(async () => {
      await open?.close();
      await older?.close();
      await guarded?.close();
      written(join(folder, "results", `${name}.json`), JSON.stringify(met));
    });

    for (const [protocol, least] of Object.entries(expected))
      test(`${protocol} is served as the protocol has it`, async () => {
        const { checks } = await checkAgent(new URL(protocol === "1.0" ? open.url : older.url), {
          protocol,
          responseTimeout: 30,
        });
        const violated = checks.filter(({ verdict }) => verdict === "violated");
        assert.deepEqual(
          violated.map(({ ids, over, claim, found }) => `${ids} ${over}: ${claim}: ${found}`),
          [],
        );
        met[protocol] = checks.filter(({ verdict }) => verdict === "met").length;
        assert.ok(met[protocol] >= least, `${met[protocol]} checks`);
      });

    describe("the client of @a2a-js/sdk", () => {
      sdkClientTests({ url: () => open.url, name: ` (${name})` });
    });

    for (const [about, check] of Object.entries(behaviours))
      test(about, async () => {
        await check({ open: open.url, guarded: guarded.url });
      });
  });
}
