import { test } from "vitest";
import { LibsqlStore } from "../../../src/stores/libsql/index.js";
import { storeContract } from "../../../src/testing/index.js";
import { emptySqld, withoutSqld } from "../../support/sqld.js";
import { ManualClock } from "../manual-clock.js";

storeContract({
  name: "libSQL",
  test: (name, run) => test(name, { skip: withoutSqld }, run),
  keeps: ["configs", "sends", "leases", "retention", "pages"],
  async open(settings) {
    const clock = new ManualClock();
    const store = await LibsqlStore.open({ url: await emptySqld(), clock, ...settings });
    return {
      store,
      async elapse(time) {
        clock.advance(time);
        await store.sweep();
      },
      close: () => store.close(),
    };
  },
});
