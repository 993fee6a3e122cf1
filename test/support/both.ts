import { type TestContext, test } from "vitest";
import type { AgentDefinition, Executor } from "../../src/index.js";
import type { BindingName, ServeOptions } from "../../src/server/index.js";
import { isGrpc } from "./hosts.js";
import { type Peer, plainCard, serveExecutor, serveGrpc } from "./peer.js";

/** The bindings that the project of the test runs it over. */
export const testedBindings: readonly BindingName[] = isGrpc ? ["GRPC"] : ["JSONRPC", "HTTP+JSON"];

type Run = (peer: Peer, t: TestContext) => Promise<void>;

/** A test of a served executor, run once over each binding. */
export function onBoth(
  name: string,
  execute: Executor,
  run: Run,
  more: Partial<AgentDefinition> = {},
  options: ServeOptions = {},
): void {
  onJson(name, execute, run, more, options);
  if (!isGrpc) return;
  test(`${name} [grpc]`, async (t) => {
    const { grpc } = await serveGrpc(t, { card: plainCard, execute, ...more }, options);
    await run(grpc, t);
  });
}

/** The same over the JSON bindings alone, for what only JSON can say, or HTTP has. */
export function onJson(
  name: string,
  execute: Executor,
  run: Run,
  more: Partial<AgentDefinition> = {},
  options: ServeOptions = {},
): void {
  if (isGrpc) return;
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
