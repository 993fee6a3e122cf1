import { test } from "vitest";
import { MemoryStore } from "../../src/stores/memory.js";
import { storeContract } from "../../src/testing/index.js";
import { ManualClock } from "./manual-clock.js";

storeContract({
  name: "memory",
  test,
  keeps: ["configs", "sends", "leases", "retention"],
  open(settings) {
    const clock = new ManualClock();
    return { store: new MemoryStore({ clock, ...settings }), elapse: (time) => clock.advance(time) };
  },
});
