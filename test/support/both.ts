import { type TestContext, test } from "vitest";
import type { AgentDefinition, Executor } from "../../src/index.js";
import type { ServeOptions } from "../../src/server/index.js";
import { type Peer, serveExecutor } from "./peer.js";

/** A test of a served executor, run once over each JSON binding. */
export function onBoth(
  name: string,
  execute: Executor,
  run: (peer: Peer, t: TestContext) => Promise<void>,
  more: Partial<AgentDefinition> = {},
  options: ServeOptions = {},
): void {
  for (const binding of ["rpc", "rest"] as const) {
    test(`${name} [${binding}]`, async (t) => {
      const server = await serveExecutor(t, execute, options, more);
      await run(server[binding], t);
    });
  }
}

/** A promise that a test settles from outside. */
export function gate<T = void>() {
  let open!: (value: T) => void;
  const opened = new Promise<T>((resolve) => {
    open = resolve;
  });
  return { open, opened };
}
