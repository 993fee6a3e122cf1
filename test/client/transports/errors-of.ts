import assert from "node:assert/strict";
import { type BindingName, ClientError } from "../../../src/client/index.js";
import { clientOf } from "../scripted.js";

export type Answer = Parameters<typeof clientOf>[0];

/** A client over one binding that tries everything once. */
export function over(binding: BindingName, answer: Answer, more: Parameters<typeof clientOf>[1] = {}) {
  return clientOf(answer, { bindings: [binding], retry: false, resume: false, ...more });
}

/** The error of reading a task. */
export async function errorOf(binding: BindingName, answer: Answer): Promise<unknown> {
  const { client } = await over(binding, answer);
  return client.getTask({ id: "t" }).then(
    () => assert.fail("the call must fail"),
    (error: unknown) => error,
  );
}

/** The failure of an answer that is no answer. */
export function assertInvalid(error: unknown, expected: string, received: string): void {
  assert.ok(error instanceof ClientError, String(error));
  assert.equal(error.code, "INVALID_RESPONSE");
  assert.equal(error.expected, expected);
  assert.equal(error.received, received);
}

/** A page as proxies send it. */
export const html = (status: number) =>
  new Response("<html>", { status, headers: { "Content-Type": "text/html; charset=x" } });
