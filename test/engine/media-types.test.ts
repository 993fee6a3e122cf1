import assert from "node:assert/strict";
import { test } from "vitest";
import { inputModes } from "../../src/engine/operations/check-message.js";
import { A2AError, type CardInput, reply } from "../../src/index.js";
import { onBoth } from "../support/both.js";
import { plainCard, serveFor, text } from "../support/peer.js";

test("OP-SEND-06, OP-SEND-07, OP-STREAM-03, SEC-10: media types are compared as the card's modes say", async (t) => {
  const card = {
    ...plainCard,
    defaultInputModes: ["text", "Application/JSON; charset=utf-8"],
    skills: [{ id: "see", name: "See", description: "Looks at pictures", tags: [], inputModes: ["image/*"] }],
  };
  const { rpc, rest } = await serveFor(t, { card, execute: async () => reply("taken") });
  const cases: [mediaType: string | undefined, taken: boolean][] = [
    [undefined, true],
    ["text/markdown", true],
    ["TEXT/plain; charset=utf-8", true],
    ["application/json", true],
    ["image/png", true],
    ["application/pdf", false],
    ["video/mp4", false],
  ];
  for (const peer of [rpc, rest]) {
    for (const [mediaType, taken] of cases) {
      const part = { text: "x", ...(mediaType && { mediaType }) };
      const answer = await peer.call(
        "SendMessage",
        text("", { message: { parts: [{ text: "first" }, part] } }),
      );
      assert.equal(answer.error, taken ? undefined : "CONTENT_TYPE_NOT_SUPPORTED", mediaType);
      if (!taken) assert.deepEqual(answer.fields, ["message.parts[1].mediaType"]);
    }
    const { error } = await peer.call(
      "SendStreamingMessage",
      text("", { message: { parts: [{ text: "x", mediaType: "a/b" }] } }),
    );
    assert.equal(error, "CONTENT_TYPE_NOT_SUPPORTED");
  }
});

test("OP-SEND-07: an input mode with the name of a member of every object is a media type that no part has", async (t) => {
  const card = { ...plainCard, defaultInputModes: ["constructor"] };
  const { rpc } = await serveFor(t, { card, execute: async () => reply("taken") });
  const parts = [{ text: "x", mediaType: "text/plain" }];
  assert.equal(
    (await rpc.call("SendMessage", text("", { message: { parts } }))).error,
    "CONTENT_TYPE_NOT_SUPPORTED",
  );
});

const photo = { id: "see", name: "See", description: "Looks at pictures", tags: [] };

/** Cards that declare no input modes, and what is published of them. */
const undeclared: Record<string, Partial<CardInput>> = {
  "nothing of modes": {},
  "an empty list": { defaultInputModes: [] },
  "a skill without modes": { skills: [photo] },
  "a skill with an empty list": { skills: [{ ...photo, inputModes: [] }] },
  "output modes": { defaultOutputModes: ["image/png"], skills: [{ ...photo, outputModes: ["image/png"] }] },
};

for (const [what, more] of Object.entries(undeclared)) {
  test(`OP-SEND-07: an agent whose card says ${what} takes parts of any type`, async (t) => {
    const card = { ...plainCard, ...more };
    const { rpc, rest, url } = await serveFor(t, {
      card,
      execute: async ({ message }) => reply(message.parts),
    });
    const parts = [
      { text: "{}", mediaType: "application/json" },
      { raw: "AAAA", mediaType: "application/x-unheard-of", filename: "a.bin" },
      { url: "https://example.com/a.png", mediaType: "image/png" },
    ];
    for (const peer of [rpc, rest]) {
      const { result } = await peer.call("SendMessage", text("", { message: { parts } }));
      assert.deepEqual(result.message.parts, parts);
    }
    const served: any = await (await fetch(`${url}/.well-known/agent-card.json`)).json();
    assert.deepEqual(served.defaultInputModes, more.defaultInputModes ?? ["text/plain"]);
  });
}

test("OP-SEND-06, OP-SEND-07: modes of a skill alone are declared modes, beside the default of the card", async (t) => {
  const card = { ...plainCard, skills: [{ ...photo, inputModes: ["image/*"] }] };
  const { rpc } = await serveFor(t, { card, execute: async () => reply("taken") });
  const send = async (mediaType: string) => {
    const message = { parts: [{ text: "x", mediaType }] };
    return (await rpc.call("SendMessage", text("", { message }))).error;
  };
  assert.equal(await send("image/png"), undefined);
  assert.equal(await send("text/plain"), undefined);
  assert.equal(await send("application/json"), "CONTENT_TYPE_NOT_SUPPORTED");
});

onBoth(
  "OP-SEND-07, OP-SEND-11: an executor may refuse media types by rules of its own",
  async () => {
    throw new A2AError("CONTENT_TYPE_NOT_SUPPORTED", "Only short texts");
  },
  async (peer) => {
    const { error, message } = await peer.call("SendMessage", text("go"));
    assert.equal(error, "CONTENT_TYPE_NOT_SUPPORTED");
    assert.equal(message, "Only short texts");
  },
);

test("an error names each media type that an agent takes once", () => {
  const skill = { inputModes: ["text/plain", "application/json"] };
  const card = { defaultInputModes: ["text/plain"], skills: [skill, skill] };
  assert.deepEqual(inputModes(card, card), ["text/plain", "application/json"]);
});
