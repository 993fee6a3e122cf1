import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { TestContext } from "vitest";
import { serveProbe as serve } from "../../examples/probe-agent/serve.js";
import { readSettings } from "../../examples/probe-agent/settings.js";
import { testServer } from "./postgres.js";
import { root } from "./root.js";
import { roundRobinProxy } from "./round-robin-proxy.js";

let bundle: Promise<string> | undefined;

/** What a test knows of a probe agent. */
export interface StartedProbe {
  readonly url: string;
  /** The process; of several the first. */
  readonly child: ChildProcess;
  readonly exited: Promise<unknown>;
}

/** How many processes a probe agent is made of; more than one are on one PostgreSQL, and take turns behind a proxy. */
const probeNodes = Number(process.env.PROBE_NODES ?? 1);

/**
 * Starts the probe agent as a process of its own, as a user does, and stops it after the test. With `PROBE_NODES` in the
 * environment, as in `npm run nodes`, it is as many processes, unless the test says where its tasks are.
 * @returns its base URL, and the process
 */
export function startProbe(
  t: Pick<TestContext, "onTestFinished">,
  env: Record<string, string> = {},
): Promise<StartedProbe> {
  return probeNodes > 1 && env.STORE === undefined ? startNodes(t, env) : startOne(t, env);
}

/**
 * Serves the probe agent in this process, which costs a tenth of starting one, and stops it after the test; with `PROBE_NODES` it is
 * as many processes.
 * @returns its base URL
 */
export async function serveProbe(
  t: Pick<TestContext, "onTestFinished">,
  env: Record<string, string> = {},
): Promise<string> {
  if (probeNodes > 1) return (await startNodes(t, env)).url;
  const probe = await serve(readSettings({ PORT: "0", ...env }), 0);
  t.onTestFinished(() => probe.close(0));
  return probe.url;
}

let databases = 0;

async function startNodes(
  t: Pick<TestContext, "onTestFinished">,
  env: Record<string, string>,
): Promise<StartedProbe> {
  const proxy = await roundRobinProxy(t);
  databases += 1;
  const name = `probe_${databases}`;
  const store = `postgres:${await (await testServer()).database(name)}`;
  const all = { PUBLIC_URL: proxy.url, ...env, STORE: store };
  const nodes = await Promise.all(Array.from({ length: probeNodes }, () => startOne(t, all)));
  proxy.targets.push(...nodes.map(({ url }) => url));
  return { ...(nodes[0] as StartedProbe), url: proxy.url };
}

async function startOne(
  t: Pick<TestContext, "onTestFinished">,
  env: Record<string, string>,
): Promise<StartedProbe> {
  bundle ??= bundleProbe();
  const child = spawn(process.execPath, [await bundle], {
    env: { ...process.env, PORT: "0", ...env },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const exited = once(child, "exit");
  t.onTestFinished(async () => {
    child.kill();
    await exited;
  });
  const lines = createInterface({ input: child.stdout });
  const [line] = await Promise.race([
    once(lines, "line"),
    exited.then(() => Promise.reject(new Error("The probe ended"))),
  ]);
  return { url: String(line).replace("listening ", ""), child, exited };
}

/** Makes one file of the probe agent and the library, once for each process of tests: started from it, a probe costs a fourth. */
async function bundleProbe(): Promise<string> {
  // Packages are looked up from where the file is.
  const outfile = join(root, ".cache", `probe-${process.pid}.mjs`);
  const { build } = await import("esbuild");
  await build({
    entryPoints: [join(root, "examples/probe-agent/main.ts")],
    outfile,
    ...{ bundle: true, packages: "external", platform: "node", format: "esm", logLevel: "silent" },
  });
  process.once("exit", () => rmSync(outfile, { force: true }));
  return outfile;
}
