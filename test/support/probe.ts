import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import type { TestContext } from "node:test";

/**
 * Starts the probe agent as a process of its own, as a user does, and stops it after the test.
 * @returns its base URL, and the process
 */
export async function startProbe(t: Pick<TestContext, "after">, env: Record<string, string> = {}) {
  const entry = new URL("../../examples/probe-agent/main.ts", import.meta.url).pathname;
  const child = spawn(process.execPath, ["--import", "tsx", entry], {
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
