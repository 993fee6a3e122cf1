/** Events that are kept, and characters of their JSON. Beyond it a quarter leaves: the oldest after the first. */
const MAX_EVENTS = 20_000;
const MAX_TEXT = 16 * 1024 * 1024;
/** The part of both limits that is left then. */
const REST = 0.75;

/** The events of a stream, as many as the page can hold. The first one stays, because the others change the task in it. */
export class KeptEvents<Event> {
  readonly events: Event[] = [];
  /** Number of events that have left. */
  dropped = 0;
  /** Characters of each event. */
  readonly #sizes: number[] = [];
  #held = 0;

  /** Characters of all events that are kept. */
  get held(): number {
    return this.#held;
  }

  /** @param size characters of its JSON */
  add(event: Event, size: number): void {
    this.events.push(event);
    this.#sizes.push(size);
    this.#held += size;
    if (this.events.length > MAX_EVENTS || this.#held > MAX_TEXT) this.#drop();
  }

  #drop(): void {
    let count = 0;
    while (
      count < this.events.length - 2 &&
      (this.events.length - count > MAX_EVENTS * REST || this.#held > MAX_TEXT * REST)
    ) {
      count += 1;
      this.#held -= this.#sizes[count] ?? 0;
    }
    this.events.splice(1, count);
    this.#sizes.splice(1, count);
    this.dropped += count;
  }
}
