import type { Clock } from "../../src/async/clock.js";
import type { World } from "./world.js";

/** A process: what is planned in it happens as long as it is there and awake. */
export class Host implements Clock {
  readonly name: string;
  readonly world: World;
  readonly #gone: () => void;
  #isAlive = true;
  #stalledUntil = 0;

  /** @param gone called when it has crashed */
  constructor(name: string, world: World, gone: () => void) {
    this.name = name;
    this.world = world;
    this.#gone = gone;
  }

  get isAlive(): boolean {
    return this.#isAlive;
  }

  now(): number {
    return this.world.now();
  }

  /** Runs something later, when the process is at work then. */
  schedule(delay: number, run: () => void): () => void {
    return this.world.schedule(delay, () => this.#whenAwake(run));
  }

  sleep(delay: number): Promise<void> {
    return new Promise((resolve) => this.schedule(delay, resolve));
  }

  /** Nothing more happens in the process; what it has sent is on its way. */
  crash(): void {
    if (!this.#isAlive) return;
    this.world.note(`${this.name} crashes`);
    this.#isAlive = false;
    this.#gone();
  }

  /** Nothing happens in the process for some time. */
  stall(duration: number): void {
    this.world.note(`${this.name} stalls for ${duration}`);
    this.#stalledUntil = this.now() + duration;
  }

  #whenAwake(run: () => void): void {
    if (!this.#isAlive) return;
    const wait = this.#stalledUntil - this.now();
    if (wait > 0) this.world.schedule(wait, () => this.#whenAwake(run));
    else run();
  }
}
