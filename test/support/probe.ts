import { spawn } from "node:child_process";
import { once } from "node:events";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { TestContext } from "node:test";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../../", import.meta.url));
let bundle: Promise<string> | undefined;

/**
 * Starts the probe agent as a process of its own, as a user does, and stops it after the test.
 * @returns its base URL, and the process
 */
export async function startProbe(t: Pick<TestContext, "after">, env: Record<string, string> = {}) {
  bundle ??= bundleProbe();
  const child = spawn(process.execPath, [await bundle], {
    env: { ...process.env, PORT: "0", ...env },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const exited = once(child, "exit");
  t.after(async () => {
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
