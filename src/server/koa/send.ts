import type { Context } from "koa";
import type { BodyReply } from "../host.js";
import type { OutgoingAnswer } from "./outgoing-answer.js";
import { SLICE, SlicedBody } from "./slices.js";

type Head = Pick<BodyReply, "status" | "headers">;

/**
 * Sends an answer that is complete. A large one leaves in slices as the connection takes them.
 * @param answer where it is counted; may be left out for one that is small
 */
export function send(ctx: Context, reply: BodyReply, answer?: OutgoingAnswer): void {
  const { body } = reply;
  if (body !== null && body.length > SLICE) {
    const bytes = typeof body === "string" ? Buffer.from(body) : asBuffer(body);
    answer?.wrote(bytes.length);
    sendBytes(ctx, reply, bytes);
    return;
  }
  answer?.wrote(body?.length ?? 0);
  begin(ctx, reply);
  ctx.response.body = body instanceof Uint8Array ? asBuffer(body) : body;
}

/** Sends bytes that are kept anyway, and shared by all who read them: they are not counted. */
export function sendBytes(ctx: Context, head: Head, bytes: Buffer): void {
  begin(ctx, head);
  ctx.response.body = bytes.length <= SLICE ? bytes : new SlicedBody(bytes);
  ctx.response.length = bytes.length;
}

/** Sends a value of a few members as JSON. */
export function sendJson({ response }: Context, value: unknown, status = 200): void {
  response.status = status;
  response.set("Content-Type", "application/json");
  response.body = JSON.stringify(value);
}

function begin({ response }: Context, { status, headers }: Head): void {
  response.status = status;
  for (const name in headers) response.set(name, headers[name] as string);
}

/** The same bytes as Node takes them. */
function asBuffer({ buffer, byteOffset, byteLength }: Uint8Array): Buffer {
  return Buffer.from(buffer, byteOffset, byteLength);
}
