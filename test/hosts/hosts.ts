import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { createServer } from "node:net";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { serve } from "../../src/server/index.js";
import { frameworks } from "../support/frameworks.js";
import { serveFetch } from "../support/hosts.js";
import { root } from "../support/root.js";
import { bundle, folder, programOf, written } from "./programs.js";
import { AT, probeFor } from "./servers/probe.js";

type Env = Readonly<Record<string, string>>;

/** The probe agent on a host. */
export interface Hosted {
  /** URL of the agent. */
  readonly url: string;
  /** The process of the host, unless it is this one. */
  readonly pid?: number | undefined;
  close(): Promise<unknown>;
}

/** Starts the probe agent with the settings of an environment. */
export type StartHost = (env: Env) => Promise<Hosted>;

const hosted = ({ url, close }: { url: string; close(grace?: number): Promise<unknown> }): Hosted => ({
  url: `${url}${AT}`,
  close: () => close(0),
});

const framework =
  (name: string): StartHost =>
  async (env) => {
    const { agent, options } = probeFor(env);
    const app = await frameworks[name]?.(agent, options, { at: AT });
    if (app === undefined) throw new Error(`There is no framework ${name}`);
    return hosted(app);
  };

/** A program that prints `listening` and its port. */
async function started(command: string, args: readonly string[], env: Env): Promise<Hosted> {
  const child = spawn(command, args, {
    env: { ...process.env, ...env },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const port = await new Promise<string>((resolve, reject) => {
    child.once("error", reject);
    child.once("exit", () => reject(new Error(`${command} has ended`)));
    createInterface({ input: child.stdout }).on("line", (line) => {
      const [, found] = /^listening (\d+)$/.exec(line) ?? [];
      if (found !== undefined) resolve(found);
    });
  });
  return { url: `http://127.0.0.1:${port}${AT}`, pid: child.pid, close: () => stop(child) };
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, "exit");
  child.kill("SIGKILL");
  await exited;
}

/** A port that nothing listens on. */
async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, "close");
  return port;
}

/** Resolves when a server answers. */
async function answering(url: string): Promise<void> {
  const end = performance.now() + 60_000;
  while (performance.now() < end) {
    try {
      await fetch(url);
      return;
    } catch {
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  }
  throw new Error(`Nothing answers at ${url}`);
}

async function startWorkerd(program: string, env: Env): Promise<Hosted> {
  const place = join(folder, "workerd");
  await bundle("workerd-server", "workerd", join(place, "worker.js"));
  const port = await freePort();
  const bindings = Object.entries({ ...env, WEBHOOK_HOSTS }).map(
    ([name, text]) => `(name = "${name}", text = ${JSON.stringify(text)})`,
  );
  const config = written(
    join(place, `config-${port}.capnp`),
    `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [(name = "main", worker = .worker)],
  sockets = [(name = "http", address = "127.0.0.1:${port}", http = (), service = "main")],
  v8Flags = ["--expose-gc"]
);
const worker :Workerd.Worker = (
  modules = [(name = "worker", esModule = embed "worker.js")],
  compatibilityDate = "2026-06-01",
  compatibilityFlags = ["nodejs_compat"],
  bindings = [(name = "AGENTS", durableObjectNamespace = "Agents"), ${bindings.join(", ")}],
  durableObjectNamespaces = [(className = "Agents", uniqueKey = "agents", preventEviction = true)],
  durableObjectStorage = (inMemory = void)
);
`,
  );
  const child = spawn(program, ["serve", config], { stdio: ["ignore", "inherit", "inherit"] });
  await answering(`http://127.0.0.1:${port}/`);
  return { url: `http://127.0.0.1:${port}${AT}`, pid: child.pid, close: () => stop(child) };
}

/** Hosts of webhooks, where the addresses of hosts cannot be told. */
const WEBHOOK_HOSTS = "*.invalid,example.com";

let built: Promise<string> | undefined;

/** Builds the application of Next, once for all tests of a run. */
async function buildNext(program: string): Promise<string> {
  const place = join(folder, "next");
  await bundle("next-agent", "node", join(place, "agent.mjs"));
  written(
    join(place, "next.config.mjs"),
    "export default { agentRules: false, skipTrailingSlashRedirect: true, turbopack: { root: import.meta.dirname } };\n",
  );
  written(
    join(place, "app", "agent", "[[...path]]", "route.js"),
    'export { GET, POST, PUT, PATCH, DELETE, OPTIONS } from "../../../agent.mjs";\n',
  );
  written(join(place, "app", "layout.js"), "export default ({ children }) => children;\n");
  const child = spawn(process.execPath, [program, "build"], {
    cwd: place,
    env: { ...process.env, NEXT_TELEMETRY_DISABLED: "1", NODE_ENV: "production" },
    stdio: ["ignore", "ignore", "inherit"],
  });
  const [code] = await once(child, "exit");
  if (code !== 0) throw new Error("Next could not build its application");
  return place;
}

async function startNext(program: string, env: Env): Promise<Hosted> {
  built ??= buildNext(program);
  const cwd = await built;
  const port = await freePort();
  const child = spawn(
    process.execPath,
    ["--expose-gc", program, "start", "-H", "127.0.0.1", "-p", String(port)],
    {
      cwd,
      env: { ...process.env, ...env, NEXT_TELEMETRY_DISABLED: "1", NODE_ENV: "production" },
      stdio: ["ignore", "ignore", "inherit"],
    },
  );
  await answering(`http://127.0.0.1:${port}/`);
  return { url: `http://127.0.0.1:${port}${AT}`, pid: child.pid, close: () => stop(child) };
}

/** A host with a program of its own; undefined when that is not installed. */
function ifInstalled(
  name: Parameters<typeof programOf>[0],
  start: (program: string, env: Env) => Promise<Hosted>,
): StartHost | undefined {
  const program = programOf(name);
  return program === undefined ? undefined : (env) => start(program, env);
}

/** Every host by its name; undefined where its program is not installed. */
export const hosts: Readonly<Record<string, StartHost | undefined>> = {
  serve: async (env) => {
    const { agent, options } = probeFor(env);
    return hosted(await serve({ [AT]: agent }, options));
  },
  fetch: async (env) => {
    const { agent, options } = probeFor({ ...env, WEBHOOK_HOSTS });
    return hosted(await serveFetch({ [AT]: agent }, options));
  },
  node: framework("node"),
  express: framework("express"),
  fastify: framework("fastify"),
  hono: framework("hono"),
  koa: framework("koa"),
  next: ifInstalled("next", startNext),
  bun: ifInstalled("bun", async (program, env) =>
    started(program, [await bundle("bun-server", "bun", join(folder, "bun", "server.mjs"))], env),
  ),
  deno: ifInstalled("deno", async (program, env) =>
    started(
      program,
      [
        "run",
        "--allow-all",
        "--v8-flags=--expose-gc",
        await bundle("deno-server", "deno", join(folder, "deno", "server.mjs")),
      ],
      env,
    ),
  ),
  workerd: ifInstalled("workerd", startWorkerd),
};

/** Hosts that otherwise run in the process of the test. */
const inThisProcess = ["serve", "fetch", "node", "express", "fastify", "hono", "koa"];

/** Starts a host in a process of its own, so that the memory of the process is that of the host; undefined if it is not installed. */
export function startApart(name: string): StartHost | undefined {
  if (!inThisProcess.includes(name)) return hosts[name];
  const program = join(root, "test", "hosts", "servers", "node-server.ts");
  return (env) => started(process.execPath, ["--expose-gc", "--import", "tsx", program, name], env);
}
