import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseTaskStore } from "@a2a-js/sdk/server/database";
import { Kysely, PostgresDialect, SqliteDialect } from "kysely";
import Libsql from "libsql";
import pg from "pg";
import { dialects, fillTheirs } from "./fill.js";
import { databaseSize, sizeOf, withDatabase, withFile } from "./parley.js";
import type { OpenSubject, Subject } from "./subject.js";

/** The task store of @a2a-js/sdk for databases writes the whole task each time, so an event costs what the task costs: fewer of them. */
const CHUNKS = 2000;

/** What its migration makes, with the columns and indexes that it has there. */
const tables = [
  `CREATE TABLE a2a_tasks (tenant varchar(255) NOT NULL, owner varchar(255) NOT NULL, id varchar(36) NOT NULL,
   context_id varchar(36) NOT NULL, status_last_updated bigint NOT NULL, status_state varchar(255), status text, artifacts text,
   history text, metadata text, protocol_version varchar(255), PRIMARY KEY (tenant, owner, id))`,
  "CREATE INDEX a2a_tasks_one ON a2a_tasks (tenant, owner, status_last_updated, id)",
  "CREATE INDEX a2a_tasks_two ON a2a_tasks (tenant, owner, context_id, status_last_updated, id)",
];

/** The task store of `@a2a-js/sdk` on SQLite, and on PostgreSQL where that is. */
export function incumbents(database: (() => Promise<string>) | undefined): Subject[] {
  const use = (db: any): OpenSubject => subjectOf(new DatabaseTaskStore(db, { tableName: "a2a_tasks" }));
  const sqlite: Subject = {
    name: "@a2a-js/sdk, SQLite",
    chunks: CHUNKS,
    async open() {
      const folder = mkdtempSync(join(tmpdir(), "bench-sdk-"));
      const file = join(folder, "tasks.db");
      const raw = new Libsql(file);
      raw.pragma("journal_mode = WAL");
      raw.pragma("synchronous = full");
      for (const sql of tables) raw.exec(sql);
      const db = new Kysely({ dialect: new SqliteDialect({ database: withReader(raw) }) });
      const close = async () => {
        raw.close();
        rmSync(folder, { recursive: true, force: true });
      };
      const fill = (from: number, to: number) =>
        withFile(file, (run) => fillTheirs(run, dialects.sqlite, from, to));
      return { ...use(db), fill, bytes: async () => sizeOf(file), close };
    },
  };
  if (database === undefined) return [sqlite];
  const postgres: Subject = {
    name: "@a2a-js/sdk, PostgreSQL",
    chunks: CHUNKS,
    async open() {
      const url = await database();
      const pool = new pg.Pool({ connectionString: url, max: 10 });
      for (const sql of tables) await pool.query(sql);
      const db = new Kysely({ dialect: new PostgresDialect({ pool }) });
      const fill = (from: number, to: number) =>
        withDatabase(url, (run) => fillTheirs(run, dialects.postgres, from, to));
      return { ...use(db), fill, bytes: () => databaseSize(url), close: () => pool.end() };
    },
  };
  return [sqlite, postgres];
}

/** The driver as its dialect wants it: statements that know whether they give rows. */
function withReader(raw: Libsql.Database) {
  return {
    close: () => raw.close(),
    prepare(sql: string) {
      const statement = raw.prepare(sql);
      return {
        reader: /^\s*(select|pragma)|\breturning\b/i.test(sql),
        all: (values: readonly unknown[]) => statement.all(...values),
        run: (values: readonly unknown[]) => statement.run(...values),
        iterate: (values: readonly unknown[]) => statement.iterate(...values),
      };
    },
  };
}

function subjectOf(store: any): OpenSubject {
  const context: any = { tenant: "t", user: { userName: "owner", isAuthenticated: true } };
  const tasks = new Map<string, any>();
  const page = { tenant: "t", pageSize: 50, includeArtifacts: true };
  return {
    async create(id) {
      const status = { state: 2, timestamp: new Date().toISOString(), message: undefined };
      const artifact = {
        artifactId: "answer",
        name: "",
        description: "",
        parts: [],
        extensions: [],
        metadata: undefined,
      };
      const task = { id, contextId: id, status, artifacts: [artifact], history: [], metadata: undefined };
      tasks.set(id, task);
      await store.save(task, context);
    },
    async append(id, text) {
      const task = tasks.get(id);
      task.artifacts[0].parts.push(part(text));
      await store.save(task, context);
    },
    async put(id, timestamp) {
      const status = { state: 3, timestamp, message: undefined };
      const message = {
        messageId: id,
        contextId: id,
        taskId: id,
        role: 1,
        parts: [part("a question")],
        extensions: [],
        referenceTaskIds: [],
        metadata: undefined,
      };
      await store.save(
        { id, contextId: id, status, artifacts: [], history: [message], metadata: undefined },
        context,
      );
    },
    async list(behind) {
      const token = behind === undefined ? "" : Buffer.from(`${behind}|`).toString("base64");
      return (await store.list({ ...page, pageToken: token }, context)).totalSize;
    },
    close: async () => undefined,
  };
}

function part(text: string) {
  return { content: { $case: "text", value: text }, metadata: undefined, filename: "", mediaType: "" };
}
