import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { inputRequired } from "../../src/index.js";
import { serve } from "../../src/server/index.js";
import { MemoryStore, type TaskStore } from "../../src/stores/index.js";
import { PostgresStore } from "../../src/stores/postgres/index.js";
import { SqliteStore } from "../../src/stores/sqlite/index.js";
import { type Way, ways } from "../../test/operations/ways.js";
import { testServer, withoutPostgres } from "../../test/support/postgres.js";
import type { Random } from "../random.js";

/** Longest name that is stored, in bytes. */
const LONGEST = 256;
/** Names in each member, of each version, on each store. */
const EACH = 12;
const lengths = [1, 2, 36, 255, 256, 257, 258, 1000, 2700, 3000, 8000];
/** Characters of one to four bytes, those that JSON escapes, and those that SQL and indexes have views on. */
const characters = ["a", "Z", "0", " ", "'", '"', "\\", "%", "_", "\n", "é", "€", "🚀", "\u2028", "\u0001"];

type Open = () => Promise<{ readonly store: TaskStore; close(): Promise<void> }>;

const stores: Readonly<Record<string, Open>> = {
  memory: async () => ({ store: new MemoryStore(), close: async () => undefined }),
  async SQLite() {
    const folder = mkdtempSync(join(tmpdir(), "parley-fuzz-"));
    const store = new SqliteStore({ file: join(folder, "tasks.db") });
    return {
      store,
      async close() {
        await store.close();
        rmSync(folder, { recursive: true });
      },
    };
  },
  ...(!withoutPostgres && {
    async PostgreSQL() {
      const store = await PostgresStore.open({ url: await (await testServer()).database("fuzz") });
      return { store, close: () => store.close() };
    },
  }),
};

/** A name of so many bytes, about. */
function nameOf(random: Random, bytes: number): string {
  let name = "";
  const plain = random.chance(0.4);
  while (Buffer.byteLength(name) < bytes)
    name += plain ? "abcdefghijklmnop"[random.below(16)] : random.pick(characters);
  return name;
}

/** Members that hold names, in the words of a way. */
function naming(way: Way, name: string): object[] {
  if (way.name.includes("0.1")) return [{ id: name }, { sessionId: name }, { contextId: name }];
  const { message, params } = way.body("go", false) as { message?: object; params?: { message: object } };
  const said = params?.message ?? message;
  return ["messageId", "contextId", "taskId"].map((member) => ({ message: { ...said, [member]: name } }));
}

/**
 * Sends names of every length, in every version and binding, to a server on the memory store, SQLite and PostgreSQL.
 * @returns how many were sent
 */
export async function sendNames(random: Random, note: (fault: string) => void): Promise<number> {
  let sent = 0;
  for (const [kind, open] of Object.entries(stores)) {
    const { store, close } = await open();
    const agent = {
      card: { name: "Named", description: "Takes names." },
      idempotentSends: true,
      async *execute() {
        yield inputRequired("Which?");
      },
    };
    const server = await serve(agent, { store, versions: ["1.0", "0.3", "0.1-flat", "0.1"] });
    for (const way of ways) {
      for (let count = 0; count < EACH; count += 1) {
        const name = nameOf(random, random.pick(lengths));
        for (const params of naming(way, name)) {
          sent += 1;
          const response = await fetch(server.url + way.path.send, {
            method: "POST",
            headers: { "Content-Type": "application/json", ...way.headers },
            body: JSON.stringify(way.body("go", false, { params })),
          });
          const fault = faultOf(await response.text(), name);
          if (fault)
            note(
              `${kind}, ${way.name}, ${Object.keys(params)} of ${Buffer.byteLength(name)} bytes: ${fault}`,
            );
        }
      }
    }
    await server.close(0);
    await close();
  }
  return sent;
}

function faultOf(answer: string, name: string): string | undefined {
  if (/INTERNAL_ERROR|-32603|INVALID_AGENT_RESPONSE/.test(answer)) return answer.slice(0, 300);
  const isLong = Buffer.byteLength(name) > LONGEST;
  const isRefused = /"error"|-32602|-32001/.test(answer);
  if (isLong && !isRefused) return "was taken";
  return isLong && answer.length > 4000 ? "the refusal repeats it" : undefined;
}
