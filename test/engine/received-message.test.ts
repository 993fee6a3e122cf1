import assert from "node:assert/strict";
import { test } from "vitest";
import type { MessageLimiter } from "../../src/engine/engine-options.js";
import { receivedMessage } from "../../src/engine/execution/invocation.js";
import type { CallContext } from "../../src/protocol/call-context.js";

test("SEC-08: a message of up to 1 KiB is not counted, also if the length of its body is unknown, as over gRPC", () => {
  const counted: number[] = [];
  const limiter = { hold: () => ({ set: (_part: string, bytes: number) => counted.push(bytes) }) };
  const receive = (words: string, bodyLength?: number) => {
    const message = { messageId: "m", role: "ROLE_USER" as const, parts: [{ text: words }] };
    const call = { bodyLength } as CallContext;
    // Of the call, the limiter and the hold, only these members are used.
    receivedMessage({ message }, call, limiter as unknown as MessageLimiter);
    return counted.splice(0).length;
  };
  const large = "a".repeat(2000);
  assert.deepEqual([receive("small", 300), receive(large, 2300)], [0, 1]);
  assert.deepEqual([receive("small"), receive(large)], [0, 1]);
});
