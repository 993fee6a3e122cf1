import type { IncomingMessage } from "node:http";
import type { PushReceiver } from "./push-receiver.js";

/** What the middleware needs of a Koa context. */
export interface KoaContext {
  readonly req: IncomingMessage;
  readonly originalUrl: string;
  readonly method: string;
  status: number;
  set(name: string, value: string): void;
}

/** Milliseconds in which a notification must have arrived as a whole. */
const TIMEOUT_MS = 30_000;

/**
 * The receiving end of a webhook as Koa middleware: mount it where the webhook is, before anything that reads bodies. It answers
 * every request that it gets.
 */
export function pushMiddleware(receiver: PushReceiver): (ctx: KoaContext) => Promise<void> {
  return async (ctx) => {
    const body = await readBody(ctx.req, receiver);
    const { status } =
      body === undefined
        ? { status: 413 }
        : await receiver.receive({
            method: ctx.method,
            url: ctx.originalUrl,
            headers: ctx.req.headers,
            body,
          });
    // What was not read would be taken for the next request.
    if (body === undefined) ctx.set("Connection", "close");
    if (status === 405) ctx.set("Allow", "POST");
    ctx.status = status;
  };
}

/** The bytes of a body; undefined when there are more than are taken, or they do not come. */
async function readBody(request: IncomingMessage, { maxBytes }: PushReceiver): Promise<Buffer | undefined> {
  const chunks: Buffer[] = [];
  let size = 0;
  const { socket } = request;
  const timer = setTimeout(() => socket.destroy(), TIMEOUT_MS);
  try {
    for await (const chunk of request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
      size += chunk.length;
      if (size > maxBytes) return undefined;
      chunks.push(chunk);
    }
    return Buffer.concat(chunks);
  } catch {
    // The sender has gone, or was too slow: nobody is there to be answered.
    return undefined;
  } finally {
    clearTimeout(timer);
  }
}
