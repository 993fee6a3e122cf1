import type { Interceptor } from "../observability/interceptor.js";
import { WatchedStream } from "../observability/watched-stream.js";
import type { Quota } from "./quota.js";

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
