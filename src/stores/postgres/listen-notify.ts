import { randomUUID } from "node:crypto";
import { Socket } from "node:net";
import type pg from "pg";
import { type BackoffRange, exponentialDelay } from "../../async/backoff.js";
import { endWhenAbandoned } from "./connections.js";
import type { PostgresDatabase } from "./database.js";
import type { WakeUps } from "./wake-ups.js";

const CHANNEL = "parley";

/** Topics in a message at most: PostgreSQL takes fewer than 8000 bytes. */
const MOST = 500;

/** Milliseconds of silence after which the connection is asked whether it is still there. */
const PROBE_MS = 5000;

/** Milliseconds in which the server answers the end of the connection. */
const CLOSE_MS = 1000;

/** Milliseconds between two attempts to connect: the first pause, and the longest. */
const PAUSES_MS: BackoffRange = { first: 50, longest: 2000 };

/**
 * Wake-ups by LISTEN and NOTIFY, on one connection. They are sent after the commit of what they tell of, not with it, because
 * all transactions of a server that notify wait for each other; and many travel in one message. The connection is probed while
 * nothing is heard on it, and made again when it does not answer.
 */
export class ListenNotify implements WakeUps {
  readonly #database: PostgresDatabase;
  readonly #self = randomUUID().slice(0, 8);
  #client: pg.Client | undefined;
  #heard: (topics: readonly string[]) => void = () => undefined;
  #missed: () => void = () => undefined;
  #pending = new Set<string>();
  #sending: Promise<void> | undefined;
  #cancel: (() => void) | undefined;
  #probe: NodeJS.Timeout | undefined;
  #isClosed = false;

  constructor(database: PostgresDatabase) {
    this.#database = database;
  }

  async open(heard: (topics: readonly string[]) => void, missed: () => void): Promise<void> {
    this.#heard = heard;
    this.#missed = missed;
    await this.#database.patiently(() => this.#connect());
  }

  send(topics: readonly string[]): void {
    if (this.#client === undefined) return;
    for (const topic of topics) this.#pending.add(topic);
    this.#sending ??= this.#flush();
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#cancel?.();
    clearTimeout(this.#probe);
    const client = this.#client;
    if (client === undefined) return;
    // A process that closes it stays until that is done, but does not wait for a server that does not answer.
    if (client.connection.stream instanceof Socket) client.connection.stream.ref();
    const timer = setTimeout(() => client.connection.stream.destroy(), CLOSE_MS);
    await this.#sending;
    this.#client = undefined;
    await client.end();
    clearTimeout(timer);
  }

  async #connect(): Promise<void> {
    const client = this.#database.client();
    client.on("error", () => this.#lost(client));
    client.on("end", () => this.#lost(client));
    client.on("notification", ({ payload = "" }) => this.#receive(payload));
    try {
      await client.connect();
      // Whether a wake-up survives a crash of the server does not matter, so nobody waits for the disk.
      await client.query(`SET synchronous_commit = off; ${endWhenAbandoned}; LISTEN ${CHANNEL}`);
    } catch (error) {
      client.connection.stream.destroy();
      throw error;
    }
    this.#client = client;
    this.#probeLater(client);
    // It keeps no process alive; what it wakes has reasons of its own to stay.
    const { stream } = client.connection;
    if (stream instanceof Socket) stream.unref();
  }

  /** Asks a connection whether it is still there, again and again; one that does not answer is closed. */
  #probeLater(client: pg.Client): void {
    clearTimeout(this.#probe);
    const wait = Math.min(PROBE_MS, this.#database.limit);
    this.#probe = setTimeout(() => {
      // A connection does one thing at a time; what is being sent shows as well whether it is there.
      this.#sending ??= this.#ask(client);
      this.#probeLater(client);
    }, wait);
    this.#probe.unref();
  }

  async #ask(client: pg.Client): Promise<void> {
    await client.query("SELECT 1").catch(() => client.connection.stream.destroy());
    this.#sending = undefined;
    if (this.#pending.size > 0) this.#sending = this.#flush();
  }

  #receive(payload: string): void {
    const [sender, ...topics] = payload.split(" ");
    if (sender !== this.#self) this.#heard(topics);
  }

  async #flush(): Promise<void> {
    await new Promise((resolve) => setImmediate(resolve));
    while (this.#pending.size > 0 && this.#client !== undefined) {
      const topics = [...this.#pending].slice(0, MOST);
      for (const topic of topics) this.#pending.delete(topic);
      const payload = [this.#self, ...topics].join(" ");
      const client = this.#client;
      // A wake-up that cannot be sent is lost, and the others find out when they look.
      const sent = client.query("SELECT pg_notify($1, $2)", [CHANNEL, payload]);
      await sent.catch(() => client.connection.stream.destroy());
    }
    this.#sending = undefined;
  }

  #lost(client: pg.Client): void {
    if (this.#client !== client) return;
    this.#client = undefined;
    clearTimeout(this.#probe);
    this.#pending.clear();
    if (!this.#isClosed) this.#reconnect(0);
  }

  #reconnect(attempt: number): void {
    const timer = setTimeout(
      () => {
        this.#connect().then(
          () => (this.#isClosed ? this.close() : this.#missed()),
          () => this.#isClosed || this.#reconnect(attempt + 1),
        );
      },
      exponentialDelay(PAUSES_MS, attempt),
    );
    timer.unref();
    this.#cancel = () => clearTimeout(timer);
  }
}
