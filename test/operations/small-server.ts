import { completed, defineAgent, working } from "../../src/index.js";
import { serve } from "../../src/server/index.js";
import { allVersions } from "../support/all-versions.js";
import { plainCard } from "../support/peer.js";
import { tellPort } from "../support/small-heap.js";

/** Serves every version with the limits that a server has by default. Its executor works, asks or answers, as it is told. */
const agent = defineAgent({
  card: plainCard,
  async *execute({ text, signal, ask }) {
    if (text === "work") {
      yield working();
      await new Promise((resolve) => signal.addEventListener("abort", resolve));
    }
    if (text === "ask") yield* ask("What?");
    yield completed();
  },
});

const { port } = await serve(agent, { versions: allVersions });
tellPort(port);
