import type { HeldTask } from "../../src/stores/lease-store.js";
import type { TaskStore } from "../../src/stores/task-store.js";
import type { Host } from "./host.js";
import type { NodeStore } from "./node.js";

/** Calls whose answers have no delay of their own: they ask nobody. */
const local = new Set(["hold", "sizeOf"]);

/**
 * A store as a process sees it that reaches it through a network that is not to be trusted.
 * @param isEmbedded whether calls end with the process, and stall with it
 */
export function remoteStore(store: NodeStore, host: Host, isEmbedded: boolean): NodeStore {
  return new Proxy(store, {
    get: (target, name) => {
      const value: unknown = Reflect.get(target, name, target);
      if (typeof value !== "function" || typeof name !== "string") return value;
      const call = (...args: unknown[]): unknown => value.apply(target, args);
      if (local.has(name)) return call;
      if (name === "wait") return (...args: Parameters<TaskStore["wait"]>) => wait(store, host, args);
      if (name === "watchTasks") return watch(store, host);
      return (...args: unknown[]) => ask({ name, args, call: () => call(...args), host, isEmbedded });
    },
  });
}

interface Call {
  readonly name: string;
  readonly args: readonly unknown[];
  readonly call: () => unknown;
  readonly host: Host;
  readonly isEmbedded: boolean;
}

/** Milliseconds in which a store may carry a late append out: longer than a lease lasts. */
const LATEST = 30_000;

/** A call over the network: it may take its time, get lost, or be done without an answer. */
function ask({ name, args, call, host, isEmbedded }: Call): Promise<unknown> {
  const { world } = host;
  return new Promise((resolve, reject) => {
    const answer = (give: () => void) => host.schedule(world.delay(30), give);
    if (!host.isAlive) return;
    if (world.happens(0.01)) {
      world.note(`${host.name} ${name} is lost`);
      answer(() => reject(new Error("The request was lost")));
      return;
    }
    const commit = async () => {
      const isLost = world.happens(0.01);
      try {
        const result = await call();
        const lost = isLost ? " (answer lost)" : "";
        world.note(`${host.name} ${name} ${brief(args)} -> ${brief([result])}${lost}`);
        answer(() => (isLost ? reject(new Error("The answer was lost")) : resolve(result)));
      } catch (error) {
        world.note(`${host.name} ${name} ${brief(args)} refused: ${String(error)}`);
        answer(() => reject(error));
      }
    };
    const way = isEmbedded ? host : world;
    const isLate = name === "append" && args[2] === 0 && world.happens(world.lateOpenings);
    way.schedule(isLate ? Math.floor(world.chance() * LATEST) : world.delay(30), () => void commit());
  });
}

/** Wake-ups come late, or before there is a reason. */
async function wait(
  store: NodeStore,
  host: Host,
  [place, taskId, after, signal]: Parameters<TaskStore["wait"]>,
) {
  const { world } = host;
  if (world.happens(0.05)) return host.sleep(world.delay(50));
  await store.wait(place, taskId, after, signal);
  await host.sleep(world.happens(0.1) ? 2000 : world.delay(20));
}

/** What others have written is told once, twice or not at all. */
function watch(store: NodeStore, host: Host) {
  const { world } = host;
  return (node: string, tell: (task: Pick<HeldTask, "scope" | "taskId">) => void) =>
    store.watchTasks(node, (task) => {
      const times = world.happens(0.2) ? 0 : world.happens(0.2) ? 2 : 1;
      for (let time = 0; time < times; time += 1) host.schedule(world.delay(20), () => tell(task));
    });
}

/** Arguments and answers, in few words. */
function brief(values: readonly unknown[]): string {
  const text = values.map((value) => JSON.stringify(value, short) ?? "nothing").join(" ");
  return text.length > 300 ? `${text.slice(0, 300)}…` : text;
}

function short(name: string, value: unknown): unknown {
  if (name === "scope" || name === "timestamp" || name === "history" || name === "contextId")
    return undefined;
  return value;
}
