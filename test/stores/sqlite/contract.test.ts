import { test } from "vitest";
import { SqliteStore } from "../../../src/stores/sqlite/index.js";
import { storeContract } from "../../../src/testing/index.js";
import { ManualClock } from "../manual-clock.js";
import { temporaryFile } from "./temporary-file.js";

storeContract({
  name: "SQLite",
  test,
  keeps: ["configs", "sends", "leases", "retention", "pages"],
  open(settings) {
    const clock = new ManualClock();
    const { file, remove } = temporaryFile();
    const store = new SqliteStore({ file, clock, synchronous: "normal", ...settings });
    return {
      store,
      async elapse(time) {
        clock.advance(time);
        await store.sweep();
      },
      async close() {
        await store.close();
        remove();
      },
    };
  },
});
