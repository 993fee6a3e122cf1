import type { DeliveryOutcome } from "../../src/push/sender.js";
import type { PushRecord } from "../../src/stores/push-store.js";
import type { StoredEntry } from "../../src/stores/task-store.js";
import type { Host } from "./host.js";
import type { World } from "./world.js";

/** The receivers of all webhooks: they are slow, fail, take what they say they did not, and note what has arrived. */
export class Webhook {
  /** Generation up to which everything has arrived, by config. */
  readonly arrived = new Map<string, number>();
  readonly #world: World;

  constructor(world: World) {
    this.#world = world;
  }

  async receive({ config }: PushRecord, { generation }: StoredEntry, host: Host): Promise<DeliveryOutcome> {
    const world = this.#world;
    await new Promise<void>((resolve) => world.schedule(world.delay(400), resolve));
    const isRefused = world.happens(0.2);
    if (!isRefused) this.#note(config.id, generation);
    world.note(`${host.name} delivers ${generation} to ${config.id}${isRefused ? ", refused" : ""}`);
    await host.sleep(world.delay(400));
    return isRefused || world.happens(0.1)
      ? { result: "retry", reason: "It failed" }
      : { result: "delivered", reason: "" };
  }

  #note(id: string, generation: number): void {
    const last = this.arrived.get(id) ?? 0;
    if (generation > last + 1) this.#world.broken(`${id} got ${generation} behind ${last}`);
    this.arrived.set(id, Math.max(last, generation));
  }
}
