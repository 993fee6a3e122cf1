import assert from "node:assert/strict";
import { test } from "vitest";
import { artifact, completed, defineAgent, reply } from "../../src/index.js";
import { serve } from "../../src/server/index.js";
import { text } from "../support/peer.js";

const echo = defineAgent({
  card: { name: "Echo", description: "Answers with what it is told, as a message or as an artifact." },
  async *execute({ text: said, message }) {
    if (message.metadata?.stream !== true) return reply(said);
    yield artifact().text(said);
    yield completed();
    return undefined;
  },
});

const texts: Record<string, string> = {
  ASCII: "plain \n \\ud \u0001",
  "Latin-1": "Füße, größer, ½",
  "two bytes": "Привет — 你好",
  "surrogate pairs": "🦜 \u{1F600}",
};
const headers = { "A2A-Version": "1.0", "Content-Type": "application/json" };

for (const [kind, sample] of Object.entries(texts)) {
  for (const times of [1, 500, 20_000]) {
    test(`RPC-01, STR-01: ${kind} ${times} times is answered and streamed as UTF-8`, async () => {
      const server = await serve(echo);
      const said = sample.repeat(times);
      try {
        const ask = (path: string, body: object) =>
          fetch(`${server.url}${path}`, { method: "POST", headers, body: JSON.stringify(body) });
        const message = text(said);
        const plain = await ask("/message:send", message);
        const body = Buffer.from(await plain.arrayBuffer());
        assert.equal(plain.headers.get("content-length"), String(body.length));
        assert.equal(JSON.parse(body.toString()).message.parts[0].text, said);
        const call = await ask("/", { jsonrpc: "2.0", id: sample, method: "SendMessage", params: message });
        const { id, result } = (await call.json()) as any;
        assert.deepEqual([id, result.message.parts[0].text], [sample, said]);
        const streamed = text(said);
        const stream = await ask("/message:stream", {
          message: { ...streamed.message, metadata: { stream: true } },
        });
        const frame = /^data: (.*artifactUpdate.*)$/m.exec(await stream.text())?.[1] ?? "{}";
        assert.equal(JSON.parse(frame).artifactUpdate.artifact.parts[0].text, said);
      } finally {
        await server.close(0);
      }
    });
  }
}
