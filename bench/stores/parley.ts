import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createClient } from "@libsql/client/http";
import Libsql from "libsql";
import pg from "pg";
import { LibsqlStore } from "../../src/stores/libsql/libsql-store.js";
import { MemoryStore } from "../../src/stores/memory.js";
import { PostgresStore } from "../../src/stores/postgres/postgres-store.js";
import { SqliteStore } from "../../src/stores/sqlite/sqlite-store.js";
import type { Scope, TaskStore } from "../../src/stores/task-store.js";
import { dialects, fillOurs, type Run } from "./fill.js";
import type { OpenSubject, Subject } from "./subject.js";

const CHUNKS = 10_000;
const scope: Scope = { agent: "", tenant: "", owner: "" };
const unbounded = { maxBytes: Number.POSITIVE_INFINITY, maxBytesPerOwner: Number.POSITIVE_INFINITY };
const state = "TASK_STATE_COMPLETED" as const;

export const memory: Subject = {
  name: "Parley, memory",
  chunks: CHUNKS,
  open: async () => use(new MemoryStore(unbounded), async () => undefined),
};

export function sqlite(synchronous: "full" | "normal"): Subject {
  return {
    name: `Parley, SQLite (${synchronous})`,
    chunks: CHUNKS,
    async open() {
      const folder = mkdtempSync(join(tmpdir(), "bench-sqlite-"));
      const file = join(folder, "tasks.db");
      const store = new SqliteStore({ file, synchronous });
      const close = async () => {
        await store.close();
        rmSync(folder, { recursive: true, force: true });
      };
      const fill = (from: number, to: number) =>
        withFile(file, (run) => fillOurs(run, dialects.sqlite, from, to));
      return { ...use(store, close), fill, bytes: async () => sizeOf(file) };
    },
    async serve() {
      const folder = mkdtempSync(join(tmpdir(), "bench-sqlite-"));
      return {
        options: { sqlite: join(folder, "tasks.db"), synchronous },
        remove: () => rmSync(folder, { recursive: true, force: true }),
      };
    },
  };
}

export function postgres(database: () => Promise<string>): Subject {
  return {
    name: "Parley, PostgreSQL",
    chunks: CHUNKS,
    async open() {
      const url = await database();
      const store = await PostgresStore.open({ url });
      const fill = (from: number, to: number) =>
        withDatabase(url, (run) => fillOurs(run, dialects.postgres, from, to));
      return { ...use(store, () => store.close()), fill, bytes: () => databaseSize(url) };
    },
    serve: async () => ({ options: { postgres: await database() }, remove: () => undefined }),
  };
}

export function libsql(database: () => Promise<string>): Subject {
  return {
    name: "Parley, libSQL",
    chunks: CHUNKS,
    async open() {
      const url = await database();
      const store = await LibsqlStore.open({ url });
      const client = createClient({ url });
      const fill = (from: number, to: number) =>
        fillOurs((sql) => client.executeMultiple(sql), dialects.sqlite, from, to);
      const bytes = async () => {
        const [pages, size] = await client.batch(["PRAGMA page_count", "PRAGMA page_size"], "read");
        return Number(pages?.rows[0]?.page_count) * Number(size?.rows[0]?.page_size);
      };
      const close = async () => {
        client.close();
        await store.close();
      };
      return { ...use(store, close), fill, bytes };
    },
    serve: async () => ({ options: { libsql: await database() }, remove: () => undefined }),
  };
}

/** Runs statements on a SQLite file, on a separate connection that does not wait for the disk. */
export async function withFile(file: string, use: (run: Run) => Promise<void>): Promise<void> {
  const raw = new Libsql(file);
  raw.pragma("synchronous = off");
  await use((sql) => raw.exec(sql));
  raw.close();
}

/** Runs statements on a PostgreSQL database, and then VACUUM, which the database also runs by itself after some time. */
export async function withDatabase(url: string, use: (run: Run) => Promise<void>): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await use((sql) => client.query(sql));
  await client.query("VACUUM ANALYZE");
  await client.end();
}

/** Bytes of a SQLite file after a checkpoint of its write-ahead log. */
export function sizeOf(file: string): number {
  const raw = new Libsql(file);
  raw.pragma("wal_checkpoint(TRUNCATE)");
  const [{ page_count: pages } = { page_count: 0 }] = raw.prepare("PRAGMA page_count").all() as {
    page_count: number;
  }[];
  const [{ page_size: size } = { page_size: 0 }] = raw.prepare("PRAGMA page_size").all() as {
    page_size: number;
  }[];
  raw.close();
  return pages * size;
}

/** Bytes of a PostgreSQL database, tables and indexes. */
export async function databaseSize(url: string): Promise<number> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const { rows } = await client.query("SELECT pg_database_size(current_database()) AS size");
  await client.end();
  return Number(rows[0]?.size);
}

function use(store: TaskStore, close: () => Promise<void>): OpenSubject {
  const generations = new Map<string, number>();
  return {
    async create(id) {
      const status = { state: "TASK_STATE_WORKING" as const, timestamp: new Date().toISOString() };
      await store.append(scope, id, 0, [{ event: { task: { id, contextId: id, status } } }]);
      generations.set(id, 1);
    },
    async append(id, text) {
      const generation = generations.get(id) ?? 0;
      const artifact = { artifactId: "answer", parts: [{ text }] };
      const artifactUpdate = { taskId: id, contextId: id, artifact, append: generation > 1 };
      generations.set(id, await store.append(scope, id, generation, [{ event: { artifactUpdate } }]));
    },
    async put(id, timestamp) {
      const history = [{ messageId: id, role: "ROLE_USER" as const, parts: [{ text: "a question" }] }];
      const task = { id, contextId: id, status: { state, timestamp }, history };
      await store.append(scope, id, 0, [{ event: { task } }]);
    },
    async list(behind) {
      const position = behind === undefined ? {} : { position: { timestamp: behind, taskId: "" } };
      return (await store.list(scope, { pageSize: 50, ...position })).totalSize;
    },
    close,
  };
}
