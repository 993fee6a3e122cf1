import { spawn } from "node:child_process";
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { serve } from "../../src/server/index.js";
import { frameworks } from "../support/frameworks.js";
import { freePort } from "../support/free-port.js";
import { serveFetch } from "../support/hosts.js";
import { root } from "../support/root.js";
import { buildNextApp } from "./next-app.js";
import { answering, type Env, type Hosted, started, startWorkerd, stop } from "./processes.js";
import { bundle, folder, programOf, written } from "./programs.js";
import { AT, probeFor } from "./servers/probe.js";

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

/** Hosts of webhooks, where the addresses of hosts cannot be told. */
const WEBHOOK_HOSTS = "*.invalid,example.com";

let built: Promise<string> | undefined;

/** Builds the application of Next, once for all processes of a run of the tests. */
async function buildNext(program: string): Promise<string> {
  const place = join(folder, "next");
  const mark = (name: string) => join(place, `${name}-${process.ppid}`);
  try {
    writeFileSync(mark("building"), "", { flag: "wx" });
  } catch {
    while (!existsSync(mark("built"))) await new Promise((resolve) => setTimeout(resolve, 200));
    return place;
  }
  await bundle("next-agent", "node", join(place, "agent.mjs"));
  await buildNextApp(program, place, {
    "agent/[[...path]]": 'export { GET, POST, PUT, PATCH, DELETE, OPTIONS } from "../../../agent.mjs";\n',
  });
  written(mark("built"), "");
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
  workerd: ifInstalled("workerd", (program, env) =>
    startWorkerd(program, "workerd-server", { ...env, WEBHOOK_HOSTS }),
  ),
};

/** Hosts that otherwise run in the process of the test. */
const inThisProcess = ["serve", "fetch", "node", "express", "fastify", "hono", "koa"];

/** Starts a host in a process of its own, so that the memory of the process is that of the host; undefined if it is not installed. */
export function startApart(name: string): StartHost | undefined {
  if (!inThisProcess.includes(name)) return hosts[name];
  const program = join(root, "test", "hosts", "servers", "node-server.ts");
  return (env) => started(process.execPath, ["--expose-gc", "--import", "tsx", program, name], env);
}
