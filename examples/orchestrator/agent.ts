import { defineAgent, working } from "a2a-parley";
import { connect } from "a2a-parley/client";
import { delegate } from "./delegate.js";
import { merge } from "./merge.js";

/**
 * Plans a dinner by delegating every part of it.
 * @param base URL of the server with the specialists
 */
export function host(base: string) {
  return defineAgent({
    card: { name: "Host", description: "Plans your dinner." },
    async *execute(context) {
      const { text, signal } = context;
      const paths = ["cook", "florist", "sommelier"];
      const [cook, florist, sommelier] = await Promise.all(
        paths.map((path) => connect(`${base}/${path}`, { signal })),
      );
      if (!cook || !florist || !sommelier) return;
      yield working("Host: a dinner it is");
      yield* merge(delegate(cook, text, context), delegate(florist, text, context));
      yield* delegate(sommelier, text, context);
    },
  });
}
