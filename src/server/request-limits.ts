import { invalidParams } from "../errors.js";
import type { SendMessageRequest } from "../model.js";
import type { Interceptor } from "../observability/interceptor.js";
import { WatchedStream } from "../observability/watched-stream.js";
import type { Limits } from "./limits.js";
import type { Quota } from "./quota.js";

/** Members of requests that may be large without being wrong. */
type Bulky = Partial<Pick<SendMessageRequest, "message" | "metadata">>;

/**
 * Refuses messages of too many parts and requests with too much metadata (SEC-08).
 * @returns an interceptor that throws A2AError INVALID_PARAMS naming the member
 */
export function boundedRequests({ parts, metadata }: Required<Limits>): Interceptor {
  return async (operation, proceed) => {
    const request = operation.request as Bulky;
    const count = request.message?.parts.length ?? 0;
    if (count > parts) throw invalidParams("message.parts", `must have at most ${parts} items`);
    const found = [request, request.message, ...(request.message?.parts ?? [])];
    const size = found.reduce((sum, holder) => sum + sizeOf(holder?.metadata), 0);
    if (size > metadata)
      throw invalidParams("metadata", `must have at most ${metadata} bytes in the whole request`);
    return proceed();
  };
}

function sizeOf(metadata: object | undefined): number {
  return metadata === undefined ? 0 : Buffer.byteLength(JSON.stringify(metadata));
}

/** Counts streams from their call to their end, and refuses those beyond the quota. For operations that stream. */
export function boundedStreams(quota: Quota): Interceptor {
  return async ({ call }, proceed) => {
    const leave = quota.take(call);
    try {
      const answer = await proceed();
      if ("events" in answer) return { events: new WatchedStream(answer.events, { ended: leave }) };
      leave();
      return answer;
    } catch (error) {
      leave();
      throw error;
    }
  };
}
