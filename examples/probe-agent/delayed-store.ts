import { setTimeout } from "node:timers/promises";
import type { TaskStore } from "a2a-parley/stores";

/** Members that are local to the process, and therefore not delayed. */
const local: readonly unknown[] = ["hold", "watchTasks"];

/** A store whose calls take longer by a number of milliseconds, like those of a store across a network. */
export function delayed(store: TaskStore, ms: number): TaskStore {
  return new Proxy(store, {
    get(target, name) {
      const member: unknown = Reflect.get(target, name, target);
      if (typeof member !== "function") return member;
      if (local.includes(name)) return member.bind(target);
      return async (...parameters: unknown[]) => {
        await setTimeout(ms);
        return member.apply(target, parameters);
      };
    },
  });
}
