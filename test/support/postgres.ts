import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { chownSync, mkdtempSync, readdirSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import pg from "pg";

/** A server for tests, thrown away afterwards. */
export interface TestServer {
  /**
   * Makes an empty database; gives its URL.
   * @param options of `CREATE DATABASE`
   */
  database(name: string, options?: string): Promise<string>;
  /** Stops the server as a crash would, and starts it again. */
  restart(): void;
}

/** Where Debian keeps the programs of each version, newest last. */
const DEBIAN = "/usr/lib/postgresql";

/** The folder with the programs of PostgreSQL; undefined when they are not on this machine. */
function programs(): string | undefined {
  const has = (folder: string) => spawnSync(join(folder, "initdb"), ["--version"]).status === 0;
  const debian = safely(() => readdirSync(DEBIAN).sort((one, other) => Number(one) - Number(other))) ?? [];
  const folders = [
    ...(process.env.PATH ?? "").split(delimiter),
    ...debian.map((version) => join(DEBIAN, version, "bin")),
  ];
  return folders.reverse().find(has);
}

/** PostgreSQL does not run as root: then it runs as its own user. */
function unprivileged(): { uid?: number; gid?: number } | undefined {
  if (process.getuid?.() !== 0) return {};
  const id = (flag: string) =>
    Number(spawnSync("id", [flag, "postgres"], { encoding: "utf8" }).stdout.trim());
  const [uid, gid] = [id("-u"), id("-g")];
  return uid > 0 && gid > 0 ? { uid, gid } : undefined;
}

const bin = programs();
const user = unprivileged();

/** Why tests with a server cannot run here. */
const obstacle =
  bin === undefined
    ? "PostgreSQL is not on this machine (Debian: apt-get install postgresql)"
    : user === undefined && "PostgreSQL does not run as root, and there is no user postgres";

/** Whether tests with a server are skipped; the reason is printed. */
export const withoutPostgres = obstacle !== false;
if (withoutPostgres) process.stderr.write(`Tests are skipped: ${obstacle}\n`);

let server: Promise<TestServer> | undefined;

/**
 * The server of this process: started when it is first asked for, gone when the process is, however that ends.
 * @param durable whether it waits for the disk, as no test needs and every measurement
 */
export function testServer({ durable = false } = {}): Promise<TestServer> {
  server ??= start(durable ? "-c max_wal_size=4GB" : "-c fsync=off -c full_page_writes=off");
  return server;
}

/** Nobody has to remember to stop it: it stops when its standard input ends, which is in the hands of this process. */
const script = `
trap '' INT TERM HUP
"$1/initdb" -D "$2/data" -U parley -A trust -E UTF8 --locale=C --no-sync >"$2/log" 2>&1 || { cat "$2/log" >&2; exit 1; }
"$1/pg_ctl" -D "$2/data" -l "$2/log" -w -o "-k $2 -c listen_addresses= -c shared_buffers=128MB $3" start >/dev/null || { cat "$2/log" >&2; exit 1; }
echo ready
cat >/dev/null
"$1/pg_ctl" -D "$2/data" -m immediate stop >/dev/null
rm -rf "$2"/data "$2"/log
rmdir "$2"
`;

async function start(settings: string): Promise<TestServer> {
  if (bin === undefined || user === undefined) throw new Error(String(obstacle));
  const folder = mkdtempSync(join(tmpdir(), "parley-pg-"));
  const { uid, gid } = user;
  if (uid !== undefined && gid !== undefined) chownSync(folder, uid, gid);
  const child = spawn("sh", ["-c", script, "sh", bin, folder, settings], {
    ...{ cwd: "/", stdio: ["pipe", "pipe", "inherit"] },
    ...user,
    // What interrupts the tests must not take it away before it has stopped the server.
    detached: true,
  });
  const [line] = await Promise.race([once(child.stdout, "data"), once(child, "exit")]);
  if (!String(line).startsWith("ready")) throw new Error("PostgreSQL did not start");
  // It keeps no test process alive.
  child.unref();
  for (const stream of [child.stdin, child.stdout])
    if ("unref" in stream) (stream as { unref(): void }).unref();
  const url = (name: string) => `postgres://parley@localhost/${name}?host=${encodeURIComponent(folder)}`;
  return {
    async database(name, options = "") {
      const client = new pg.Client({ connectionString: url("postgres") });
      await client.connect();
      await client.query(`CREATE DATABASE ${name} ${options}`);
      await client.end();
      return url(name);
    },
    restart() {
      const options = { cwd: "/", ...user };
      const { status } = spawnSync(
        join(bin, "pg_ctl"),
        ["-D", join(folder, "data"), "-m", "immediate", "-w", "-l", join(folder, "log"), "restart"],
        options,
      );
      if (status !== 0) throw new Error("PostgreSQL did not start again");
    },
  };
}

function safely<Result>(run: () => Result): Result | undefined {
  try {
    return run();
  } catch {
    return undefined;
  }
}
