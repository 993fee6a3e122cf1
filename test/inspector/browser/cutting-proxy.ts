import { once } from "node:events";
import { createServer, request } from "node:http";
import type { AddressInfo } from "node:net";
import type { TestContext } from "vitest";
import { serveProbe } from "../../support/probe.js";

/** Serves the probe agent to one test over connections that break: those of its first streams, each after some bytes. */
export async function serveBreaking(
  t: Pick<TestContext, "onTestFinished">,
  { streams, after }: { readonly streams: number; readonly after: number },
): Promise<string> {
  let left = streams;
  let target = "";
  const proxy = createServer((incoming, outgoing) => {
    const { method, url, headers } = incoming;
    const passed = request(new URL(url ?? "/", target), { method, headers }, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
      const isStream = answer.headers["content-type"]?.startsWith("text/event-stream") ?? false;
      const isCut = isStream && left > 0;
      if (isCut) left -= 1;
      let bytes = 0;
      answer.on("data", (chunk: Buffer) => {
        bytes += chunk.length;
        outgoing.write(chunk);
        if (isCut && bytes > after) outgoing.destroy();
      });
      answer.on("end", () => outgoing.end());
    });
    passed.on("error", () => outgoing.destroy());
    outgoing.on("close", () => passed.destroy());
    incoming.pipe(passed);
  }).listen(0, "127.0.0.1");
  await once(proxy, "listening");
  t.onTestFinished(() => {
    proxy.closeAllConnections();
    proxy.close();
  });
  const url = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
  target = await serveProbe(t, { PUBLIC_URL: url });
  return url;
}
