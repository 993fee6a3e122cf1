import { setTimeout } from "node:timers/promises";
import type { TaskStore } from "a2a-parley/stores";

/** What is local to the process, and answers at once. */
const local: readonly unknown[] = ["hold", "watchTasks"];

/** A store whose every call takes a while longer, as one across a network does. */
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
