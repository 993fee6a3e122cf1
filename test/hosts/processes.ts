import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { freePort } from "../support/free-port.js";
import { bundle, folder, written } from "./programs.js";
import { AT } from "./servers/probe.js";

export type Env = Readonly<Record<string, string>>;

/** The probe agent on a host. */
export interface Hosted {
  /** URL of the agent. */
  readonly url: string;
  /** The process of the host, unless it is this one. */
  readonly pid?: number | undefined;
  close(): Promise<unknown>;
}

/** A program that prints `listening` and its port. */
export async function started(command: string, args: readonly string[], env: Env): Promise<Hosted> {
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

export async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, "exit");
  child.kill("SIGKILL");
  await exited;
}

/** Resolves when a server answers. */
export async function answering(url: string): Promise<void> {
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

/** Starts workerd with a module, whose Durable Object `Agents` it binds, and with texts of the environment. */
export async function startWorkerd(program: string, module: string, env: Env): Promise<Hosted> {
  const place = join(folder, "workerd", module);
  await bundle(module, "workerd", join(place, "worker.js"));
  const port = await freePort();
  const hasAgents = module === "workerd-server";
  const bindings = Object.entries(env).map(
    ([name, text]) => `(name = "${name}", text = ${JSON.stringify(text)})`,
  );
  if (hasAgents) bindings.push('(name = "AGENTS", durableObjectNamespace = "Agents")');
  const objects = `,
  durableObjectNamespaces = [(className = "Agents", uniqueKey = "agents", preventEviction = true)],
  durableObjectStorage = (inMemory = void)`;
  const config = written(
    join(place, `config-${port}.capnp`),
    `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [
    (name = "main", worker = .worker),
    (name = "internet", network = (allow = ["public", "private"]))
  ],
  sockets = [(name = "http", address = "127.0.0.1:${port}", http = (), service = "main")],
  v8Flags = ["--expose-gc"]
);
const worker :Workerd.Worker = (
  modules = [(name = "worker", esModule = embed "worker.js")],
  compatibilityDate = "2026-06-01",
  compatibilityFlags = ["nodejs_compat"],
  bindings = [${bindings.join(", ")}]${hasAgents ? objects : ""}
);
`,
  );
  const child = spawn(program, ["serve", config], { stdio: ["ignore", "inherit", "inherit"] });
  await answering(`http://127.0.0.1:${port}/`);
  return { url: `http://127.0.0.1:${port}${AT}`, pid: child.pid, close: () => stop(child) };
}
