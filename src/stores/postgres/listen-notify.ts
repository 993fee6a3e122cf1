import { randomUUID } from "node:crypto";
import { Socket } from "node:net";
import type pg from "pg";
import { type BackoffRange, exponentialDelay } from "../../async/backoff.js";
import type { WakeUps } from "../sql/wake-ups.js";
import { endWhenAbandoned } from "./connections.js";
import type { PostgresDatabase } from "./database.js";

const CHANNEL = "parley";

/** Maximum number of topics in a message. PostgreSQL accepts fewer than 8000 bytes; a topic and its space have 23. */
const MAX_TOPICS = 300;

/** Maximum milliseconds between two probes of the connection. */
const PROBE_MS = 5000;

/** Milliseconds to wait for the server when closing the connection. */
const CLOSE_MS = 1000;

/** Milliseconds before an attempt to reconnect: first and longest pause. */
const PAUSES_MS: BackoffRange = { first: 50, longest: 2000 };

/**
 * Wake-ups by LISTEN and NOTIFY on one connection. They are sent after the commit that they announce, not within its transaction, because
 * the server serializes the commits of transactions that notify. Many topics can share one message. The connection is probed regularly, and
 * replaced if it does not respond.
 */
export class ListenNotify implements WakeUps {
  readonly #database: PostgresDatabase;
  readonly #self = randomUUID().slice(0, 8);
  #client: pg.Client | undefined;
  /** The connection that is being opened. */
  #connecting: pg.Client | undefined;
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
    await this.#database.retryOpening(() => this.#connect());
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
    this.#connecting?.connection.stream.destroy();
    const client = this.#client;
    if (client === undefined) return;
    // Keeps the process alive until the connection is closed, and waits at most a second for a server that does not respond.
    if (client.connection.stream instanceof Socket) client.connection.stream.ref();
    const timer = setTimeout(() => client.connection.stream.destroy(), CLOSE_MS);
    await this.#sending;
    this.#client = undefined;
    await client.end();
    clearTimeout(timer);
  }

  async #connect(): Promise<void> {
    const client = this.#database.client();
    this.#connecting = client;
    client.on("error", () => this.#lost(client));
    client.on("end", () => this.#lost(client));
    client.on("notification", ({ payload = "" }) => this.#receive(payload));
    try {
      await client.connect();
      // A wake-up may be lost when the server crashes, so sending it need not wait for the disk.
      await client.query(`SET synchronous_commit = off; ${endWhenAbandoned}; LISTEN ${CHANNEL}`);
    } catch (error) {
      client.connection.stream.destroy();
      throw error;
    } finally {
      this.#connecting = undefined;
    }
    this.#client = client;
    this.#probeLater(client);
    // This connection alone must not keep the process alive.
    const { stream } = client.connection;
    if (stream instanceof Socket) stream.unref();
  }

  /** Probes a connection periodically. One that does not respond is closed. */
  #probeLater(client: pg.Client): void {
    clearTimeout(this.#probe);
    const wait = Math.min(PROBE_MS, this.#database.limit);
    this.#probe = setTimeout(() => {
      // A message that is being sent probes the connection as well.
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
      const topics = [...this.#pending].slice(0, MAX_TOPICS);
      for (const topic of topics) this.#pending.delete(topic);
      const payload = [this.#self, ...topics].join(" ");
      const client = this.#client;
      // A wake-up that cannot be sent is lost. Other processes notice the change when they poll.
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
