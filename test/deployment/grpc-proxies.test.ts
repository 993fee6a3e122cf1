import assert from "node:assert/strict";
import { generateKeyPairSync } from "node:crypto";
import { test } from "vitest";
import { connect } from "../../src/client/index.js";
import { artifact, completed, defineAgent, reply } from "../../src/index.js";
import { serve } from "../../src/server/index.js";
import { certify } from "../auth/certificates.js";
import { freePort } from "../support/free-port.js";
import { proxies, startGrpcProxy, startProxy } from "./proxy.js";

const localhost = certify({ subject: { CN: "localhost" }, names: ["DNS:localhost"] });

/** An agent that counts to two, each number when the reader has the one before, and that tells who calls. */
function counting() {
  let goOn: () => void = () => undefined;
  const agent = defineAgent({
    card: { name: "Counting", description: "Waits for its reader." },
    async *execute({ text, call }) {
      if (text === "who") return reply(call.address ?? "");
      const numbers = artifact({ name: "numbers" });
      for (let count = 1; count <= 2; count += 1) {
        const read = new Promise<void>((resolve) => {
          goOn = resolve;
        });
        yield numbers.text(`${count}`);
        await read;
      }
      yield completed();
      return undefined;
    },
  });
  return { agent, read: () => goOn() };
}

for (const kind of proxies) {
  const { program, grpcFile, skip } = kind;
  test(`behind ${program} as in examples/deployment/${grpcFile}, gRPC has TLS, streams, cancel and addresses`, {
    skip,
  }, async () => {
    const { agent, read } = counting();
    const grpcPort = await freePort();
    // The second node is down: nothing ever listens on port 1.
    const proxy = await startGrpcProxy(kind, [grpcPort, 1], localhost);
    const server = await serve(agent, {
      bindings: ["GRPC"],
      trustProxy: true,
      grpc: { port: grpcPort, address: `localhost:${proxy.port}` },
    });
    try {
      const client = await connect(server.url, {
        bindings: ["GRPC"],
        grpc: { tls: { ca: localhost.cert } },
      });
      assert.equal(client.agentInterface.url, `localhost:${proxy.port}`);
      const who = await client.sendText("who", { headers: { "X-Forwarded-For": "198.51.100.8" } });
      assert.match(who.message?.parts[0]?.text ?? "", /^(?:127\.0\.0\.1|::1)$/);

      const seen: (string | undefined)[] = [];
      for await (const event of client.stream("count")) {
        const number = event.artifactUpdate?.artifact.parts[0]?.text;
        if (number === undefined) continue;
        seen.push(number);
        read();
      }
      assert.deepEqual(seen, ["1", "2"]);

      let state: unknown;
      for await (const event of client.stream("count")) {
        const { taskId } = event.artifactUpdate ?? {};
        if (taskId !== undefined) await client.cancelTask({ id: taskId });
        state = event.statusUpdate?.status.state ?? state;
      }
      assert.equal(state, "TASK_STATE_CANCELED");
    } finally {
      await server.close(0);
      await proxy.stop();
    }
  });

  test(`a signed card verifies behind ${program}, if publicUrl is the URL of the proxy`, {
    skip,
  }, async () => {
    const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
    const port = await freePort();
    const proxy = await startProxy(kind, [port, 1]);
    const { agent } = counting();
    const server = await serve(agent, {
      port,
      publicUrl: proxy.url,
      trustProxy: true,
      cardKeys: [{ key: privateKey, kid: "1", alg: "ES256" }],
    });
    const signatures = { keys: [{ key: publicKey, kid: "1", alg: "ES256" }] };
    try {
      const client = await until(() => connect(proxy.url, { signatures }));
      assert.equal(client.agentInterface.url, proxy.url);
    } finally {
      await server.close(0);
      await proxy.stop();
    }
  });
}

/** Caddy has to see first that a node is ready. */
async function until<Value>(call: () => Promise<Value>): Promise<Value> {
  const end = performance.now() + 10_000;
  for (;;) {
    try {
      return await call();
    } catch (error) {
      if (performance.now() > end) throw error;
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  }
}
