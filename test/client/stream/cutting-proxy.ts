import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import type { TestContext } from "vitest";

/** A proxy that cuts the connections through it. */
export interface CuttingProxy {
  readonly url: string;
  /** Cuts so far. */
  readonly cuts: number;
  /** Cuts what is open now. */
  cut(): void;
}

/** When to cut by itself. */
export interface CutPlan {
  /** Cuts in all; the proxy is well-behaved afterwards. */
  readonly cuts: number;
  /** Bytes from the server that a connection passes on before it is cut. */
  readonly bytes: () => number;
}

/** Starts a proxy in front of a local port for one test. It works on bytes: answers break off wherever the plan falls. */
export async function cuttingProxy(t: TestContext, target: string, plan?: CutPlan): Promise<CuttingProxy> {
  const open = new Set<Socket>();
  const proxy = { url: "", cuts: 0, cut };

  function cut(): void {
    if (open.size > 0) proxy.cuts += 1;
    for (const socket of open) socket.destroy();
  }

  const server = createServer((client) => {
    const agent = connect(Number(new URL(target).port), "127.0.0.1");
    let left = plan !== undefined && proxy.cuts < plan.cuts ? plan.bytes() : Number.POSITIVE_INFINITY;
    const close = (): void => {
      client.destroy();
      agent.destroy();
      open.delete(client);
    };
    open.add(client);
    client.on("data", (bytes) => agent.write(bytes));
    agent.on("data", (bytes) => {
      if (bytes.length <= left || proxy.cuts >= (plan?.cuts ?? 0)) {
        left -= bytes.length;
        client.write(bytes);
        return;
      }
      proxy.cuts += 1;
      client.write(bytes.subarray(0, left), close);
      left = Number.POSITIVE_INFINITY;
    });
    for (const socket of [client, agent]) socket.on("error", close).on("close", close);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  proxy.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  t.onTestFinished(() => {
    for (const socket of open) socket.destroy();
    server.close();
  });
  return proxy;
}

/** Numbers from 0 to 1 that are the same in every run. */
export function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}
