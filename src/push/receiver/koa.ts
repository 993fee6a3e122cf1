import type { IncomingMessage } from "node:http";
import type { PushReceiver } from "./push-receiver.js";

/** The part of a Koa context that the middleware uses. */
export interface KoaContext {
  readonly req: IncomingMessage;
  readonly originalUrl: string;
  readonly method: string;
  status: number;
  set(name: string, value: string): void;
}

/** Milliseconds within which the whole body must arrive. */
const TIMEOUT_MS = 30_000;

/**
 * Koa middleware that receives push notifications. Mount it at the path of the webhook, before any body parser: the middleware reads the
 * body itself, and refuses a notification whose body was already read. A body longer than `maxBytes` of the receiver gets 413. The
 * connection is closed if the body does not arrive within 30 seconds. The middleware never calls `next`.
 *
 * @example
 * ```ts
 * const receiver = pushReceiver({ expect: ({ taskId }) => secrets.get(taskId), onNotification: save });
 * new Koa().use(pushMiddleware(receiver)).listen({ port: 5000 });
 * ```
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
    // The rest of the body was not read, so the connection cannot be used for another request.
    if (body === undefined) ctx.set("Connection", "close");
    if (status === 405) ctx.set("Allow", "POST");
    ctx.status = status;
  };
}

/** Reads the body. Returns undefined when it is too large, does not arrive in time, or the sender disconnects. */
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
    // The sender has disconnected or was too slow, so no response can reach it.
    return undefined;
  } finally {
    clearTimeout(timer);
  }
}
