import pg from "pg";
import { PostgresStore, type WakeUps } from "../../src/stores/postgres/index.js";
import { testServer } from "../support/postgres.js";
import { type Backing, FOREVER } from "./backing.js";
import type { Host } from "./host.js";
import type { NodeStore } from "./node.js";
import { connectionFault, watchStatements } from "./server-statements.js";
import { turn, type World } from "./world.js";

let url: Promise<string> | undefined;

/**
 * A server for all nodes, which is a real one, with connections of each: they break before a statement is carried out, or before
 * its answer is read, and processes end between two statements. Time and wake-ups are those of the simulation. What a server does
 * at the same time it does in an order of its own, so a seed may take another course the next time.
 */
export async function postgresBacking(world: World): Promise<Backing> {
  url ??= emptyDatabase();
  const place = await url;
  await emptied(place);
  const busy = new Set<Promise<unknown>>();
  const listeners = new Map<Host, (topics: readonly string[]) => void>();
  const stores: PostgresStore[] = [];
  const during = <Result>(work: Promise<Result>): Promise<Result> => {
    const done: Promise<unknown> = work.then(
      () => busy.delete(done),
      () => busy.delete(done),
    );
    busy.add(done);
    return work;
  };

  /** What one process writes the others hear late, or never. */
  const wakeUpsOf = (host: Host): WakeUps => ({
    open: async (heard) => void listeners.set(host, heard),
    send: (topics) => {
      for (const [other, heard] of listeners) {
        if (other !== host && !world.happens(0.2)) other.schedule(world.delay(20), () => heard(topics));
      }
    },
    close: async () => void listeners.delete(host),
  });

  const open = async (host: Host): Promise<NodeStore> => {
    const name = `${world.seed}-${host.name}`;
    const store = await PostgresStore.open({
      ...{ url: `${place}&application_name=${name}`, connections: 2, migrate: false, cacheBytes: 2 ** 16 },
      ...{ clock: host, wakeUps: wakeUpsOf(host), grace: FOREVER },
    });
    stores.push(store);
    watchStatements(name, (sql, carryOut) => during(statement(host, sql, carryOut)));
    return counted(store, during);
  };

  return {
    isEmbedded: true,
    isSure: false,
    open: (host) => during(open(host)),
    async quiet() {
      do {
        await Promise.all(busy);
        await turn();
        await turn();
      } while (busy.size > 0);
    },
    async close() {
      for (const store of stores) await store.close();
      watchStatements();
    },
  };
}

/** One statement of a process. */
async function statement<Answer>(host: Host, sql: string, carryOut: () => Promise<Answer>): Promise<Answer> {
  const { world } = host;
  const isWrite = /^(INSERT|UPDATE|DELETE|WITH|COMMIT)/.test(sql.trimStart());
  if (isWrite && world.happens(0.01)) host.crash();
  // What a crash has left undone is not done: whoever has thrown ends its connection, and the server undoes the transaction.
  if (!host.isAlive) throw new Error("The process is gone");
  const fails = (often: number): boolean => isWrite && world.happens(often);
  if (fails(0.01)) {
    world.note(`${host.name} a connection breaks before: ${sql.slice(0, 40)}`);
    throw connectionFault();
  }
  const answer = await carryOut();
  if (fails(0.01)) {
    world.note(`${host.name} a connection breaks behind: ${sql.slice(0, 40)}`);
    throw connectionFault();
  }
  return answer;
}

/** The store, with an eye on every call that is under way but those that wait. */
function counted(
  store: PostgresStore,
  during: <Result>(work: Promise<Result>) => Promise<Result>,
): NodeStore {
  return new Proxy(store, {
    get: (target, name) => {
      const value: unknown = Reflect.get(target, name, target);
      if (typeof value !== "function") return value;
      return (...args: unknown[]): unknown => {
        const result: unknown = Reflect.apply(value, target, args);
        return name !== "wait" && result instanceof Promise ? during(result) : result;
      };
    },
  });
}

async function emptyDatabase(): Promise<string> {
  const made = await (await testServer()).database("simulation");
  await (await PostgresStore.open({ url: made })).close();
  return made;
}

async function emptied(place: string): Promise<void> {
  const client = new pg.Client({ connectionString: place });
  await client.connect();
  const tables =
    "parley_scopes, parley_tasks, parley_entries, parley_snapshots, parley_ends, parley_configs, parley_sends";
  await client.query(`TRUNCATE ${tables} RESTART IDENTITY`);
  await client.end();
}
