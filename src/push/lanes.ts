/** A host's share, and who waits for a place in it. */
interface Host {
  readonly name: string;
  busy: number;
  readonly waiting: Set<() => void>;
}

/**
 * Places for requests under way: so many in all, so many per host. Hosts take turns, so one that is slow, or has much to
 * receive, holds back no other (PUSH-13).
 */
export class Lanes {
  readonly #total: number;
  readonly #perHost: number;
  readonly #hosts = new Map<string, Host>();
  /** Hosts that could use a place now, whose turn is first first. */
  readonly #ready = new Set<Host>();
  #busy = 0;

  constructor(total: number, perHost: number) {
    this.#total = total;
    this.#perHost = perHost;
  }

  /**
   * Waits for a place for a host.
   * @returns gives the place back; undefined when the signal aborted first
   */
  async enter(name: string, signal: AbortSignal): Promise<(() => void) | undefined> {
    if (signal.aborted) return undefined;
    const host = this.#hosts.get(name) ?? { name, busy: 0, waiting: new Set() };
    this.#hosts.set(name, host);
    if (this.#busy < this.#total && host.busy < this.#perHost) return this.#take(host);
    return await new Promise((resolve) => {
      const go = () => {
        signal.removeEventListener("abort", leave);
        host.waiting.delete(go);
        resolve(this.#take(host));
      };
      const leave = () => {
        host.waiting.delete(go);
        this.#tidy(host);
        resolve(undefined);
      };
      signal.addEventListener("abort", leave, { once: true });
      host.waiting.add(go);
      this.#tidy(host);
    });
  }

  #take(host: Host): () => void {
    let isMine = true;
    this.#busy += 1;
    host.busy += 1;
    return () => {
      if (!isMine) return;
      isMine = false;
      this.#busy -= 1;
      host.busy -= 1;
      this.#tidy(host);
      this.#admit();
    };
  }

  #admit(): void {
    for (const host of this.#ready) {
      if (this.#busy >= this.#total) return;
      const [next] = host.waiting;
      this.#ready.delete(host);
      next?.();
      // Behind those whose turn is now.
      this.#tidy(host);
    }
  }

  #tidy(host: Host): void {
    if (host.waiting.size > 0 && host.busy < this.#perHost) this.#ready.add(host);
    else this.#ready.delete(host);
    if (host.waiting.size === 0 && host.busy === 0) this.#hosts.delete(host.name);
  }
}
