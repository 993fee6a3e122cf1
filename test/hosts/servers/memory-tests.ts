import { MemoryStore } from "a2a-parley/stores";
import { ManualClock, storeContract } from "a2a-parley/testing";
import type { TestRun } from "./run-tests.js";

/** Registers the contract of the memory store. */
export function memoryTests({ test }: TestRun): void {
  storeContract({
    ...{ name: "memory", test, keeps: ["configs", "sends", "leases", "retention"] },
    open(settings) {
      const clock = new ManualClock();
      return { store: new MemoryStore({ clock, ...settings }), elapse: (time) => clock.advance(time) };
    },
  });
}
