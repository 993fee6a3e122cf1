import assert from "node:assert/strict";
import { once } from "node:events";
import { request as httpRequest, type IncomingMessage } from "node:http";
import { test } from "vitest";
import { connect } from "../../src/client/index.js";
import { artifact, completed, defineAgent, reply } from "../../src/index.js";
import { serve } from "../../src/server/index.js";
import { text } from "../support/peer.js";
import { proxies, startProxy } from "./proxy.js";

/** An agent whose stream goes on when the test lets it, and which tells who calls. */
function stepwise() {
  const steps: (() => void)[] = [];
  const agent = defineAgent({
    card: { name: "Stepwise", description: "Waits for the test." },
    async *execute({ text, call }) {
      if (text === "who") return reply(JSON.stringify({ address: call.address }));
      const numbers = artifact({ name: "numbers" });
      for (let count = 1; count <= 3; count += 1) {
        yield numbers.text(`${count}`);
        await new Promise<void>((resolve) => steps.push(resolve));
      }
      yield completed();
      return undefined;
    },
  });
  const goOn = async () => {
    while (steps.length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
    steps.shift()?.();
  };
  return { agent, goOn };
}

const headers = { "A2A-Version": "1.0", "Content-Type": "application/json" };

/** Frames of a stream as they arrive, each as its id and its event. */
async function* frames(response: Response): AsyncGenerator<{ id: string; event: any }> {
  let left = "";
  const decoder = new TextDecoder();
  for await (const piece of response.body as unknown as AsyncIterable<Uint8Array>) {
    left += decoder.decode(piece, { stream: true });
    for (let end = left.indexOf("\n\n"); end !== -1; end = left.indexOf("\n\n")) {
      const frame = left.slice(0, end);
      left = left.slice(end + 2);
      const data = /^data: (.*)$/m.exec(frame)?.[1];
      if (data !== undefined) yield { id: /^id: (.*)$/m.exec(frame)?.[1] ?? "", event: JSON.parse(data) };
    }
  }
}

/** Posts a message from an address of this machine. */
async function post(
  port: number,
  body: string,
  more: Record<string, string> = {},
  localAddress = "127.0.0.1",
) {
  const request = httpRequest({
    ...{ port, host: "127.0.0.1", localAddress, method: "POST", path: "/message:send" },
    headers: { ...headers, ...more, "Content-Length": Buffer.byteLength(body) },
  });
  // A proxy that refuses a body may close the connection while it is still being sent.
  request.on("error", () => undefined);
  request.end(body);
  const [response] = (await once(request, "response")) as [IncomingMessage];
  let answer = "";
  for await (const piece of response) answer += piece;
  return { status: response.statusCode, answer };
}

for (const kind of proxies) {
  const { program, file, skip } = kind;
  test(`STR-18, SEC-08: behind ${program} as in examples/deployment/${file}, streams, resume, limits and addresses work`, {
    skip,
  }, async () => {
    const { agent, goOn } = stepwise();
    const server = await serve(agent, { trustProxy: true, heartbeat: 1 });
    // The second node is down: nothing ever listens on port 1.
    const proxy = await startProxy(kind, [server.port, 1]);
    try {
      // From the moment on at which the proxy has seen that, every call is answered by the first.
      const until = performance.now() + 10_000;
      for (let good = 0; good < 20; ) {
        const { status } = await post(proxy.port, JSON.stringify(text("who")));
        good = status === 200 ? good + 1 : 0;
        assert.ok(performance.now() < until, `still answered with ${status}`);
      }
      // Each event arrives before the agent is let go on to the next.
      const response = await fetch(`${proxy.url}/message:stream`, {
        ...{ method: "POST", headers, body: JSON.stringify(text("count")) },
      });
      assert.equal(response.status, 200);
      const stream = frames(response);
      const ids: string[] = [];
      let taskId = "";
      for (let count = 1; count <= 2; count += 1) {
        for (;;) {
          const { value } = await stream.next();
          ids.push(value?.id ?? "");
          taskId ||= value?.event.task?.id ?? "";
          if (value?.event.artifactUpdate?.artifact.parts[0].text === String(count)) break;
        }
        if (count === 1) await goOn();
      }
      // Cut, and resumed by the number of the last event: nothing is lost and nothing comes twice.
      await stream.return(undefined);
      const resumed = await fetch(`${proxy.url}/tasks/${taskId}:subscribe`, {
        headers: { ...headers, "Last-Event-ID": ids.at(-1) ?? "" },
      });
      const rest = frames(resumed);
      await goOn();
      const seen: string[] = [];
      for await (const { event } of rest) {
        const number = event.artifactUpdate?.artifact.parts[0].text;
        if (number !== undefined) seen.push(number);
        if (number === "3") await goOn();
      }
      assert.deepEqual(seen, ["3"]);

      // The same with the client, by the card, whose URL is that of the proxy.
      const client = await connect(proxy.url);
      assert.equal(client.agentInterface.url, proxy.url);

      // The address of the caller counts, and not what it says of itself.
      const forged = {
        Forwarded: "for=198.51.100.7;proto=https;host=evil.example",
        "X-Forwarded-For": "198.51.100.8",
        "X-Forwarded-Host": "evil.example",
        "X-Forwarded-Prefix": "/evil",
      };
      const who = await post(proxy.port, JSON.stringify(text("who")), forged, "127.0.0.9");
      assert.match(who.answer, /\{\\"address\\":\\"127\.0\.0\.9\\"\}/);
      const { value: card } = (await fetch(`${proxy.url}/.well-known/agent-card.json`, {
        headers: { ...forged, "A2A-Version": "1.0" },
      }).then(async (answer) => ({ value: await answer.json() }))) as { value: any };
      assert.equal(card.supportedInterfaces[0].url, proxy.url);

      // Bodies up to the limit of the agent pass, larger ones are refused before they get there.
      const sized = (bytes: number) => JSON.stringify(text("x".repeat(bytes)));
      assert.equal((await post(proxy.port, sized(11 * 1024 * 1024))).status, 413);
      assert.equal(
        (await post(proxy.port, JSON.stringify(text("who")) + " ".repeat(10_000_000))).status,
        200,
      );
    } finally {
      await proxy.stop();
      await server.close(0);
    }
  });
}
