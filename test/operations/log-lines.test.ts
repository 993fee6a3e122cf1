import assert from "node:assert/strict";
import { test } from "vitest";
import type { Telemetry } from "../../src/server/index.js";
import { NotingLogger } from "../push/desk.js";
import { plainCard, serveFor, text } from "../support/peer.js";

const LINES = 3;
const CALLS = 10;

test("SEC-08: of lines that callers cause with one text, so many are written in a minute, and the others are counted", async (t) => {
  const logger = new NotingLogger();
  let dropped = 0;
  const telemetry: Telemetry = {
    begin: () => ({
      trace: undefined,
      run: (body) => body(),
      annotate: () => undefined,
      end: () => undefined,
    }),
    count: (name) => {
      if (name === "a2a.server.log.dropped") dropped += 1;
    },
    time: () => undefined,
    observe: () => () => undefined,
  };
  const { rpc } = await serveFor(
    t,
    {
      card: plainCard,
      async *execute({ text }) {
        yield* [];
        throw new Error(text);
      },
    },
    { logger, telemetry, limits: { logLines: LINES } },
  );
  for (let call = 0; call < CALLS; call += 1) await rpc.call("SendMessage", text(`call ${call}`));
  const errors = logger.lines.filter(({ level }) => level === "error").map(({ text }) => text);
  const [first] = errors;
  assert.deepEqual(errors, [first, first, first]);
  assert.equal(dropped, CALLS - LINES);
});
