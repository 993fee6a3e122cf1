import { artifact, completed, defineAgent, working } from "../../src/index.js";
import { bearerTokens, serve } from "../../src/server/index.js";
import { cardOf, schemes } from "../auth/card.js";
import { tellPort } from "../support/small-heap.js";
import { near } from "./desk.js";

/**
 * Serves owners by their names, with a webhook that is never given up. `large <MiB>` makes a task that waits; once `go` was said, all
 * of these give an artifact of that size.
 */
const owners = process.argv.slice(2);

let go: () => void = () => undefined;
const told = new Promise<void>((resolve) => {
  go = resolve;
});

const agent = defineAgent({
  card: cardOf({ login: schemes.bearer }, ["login"]),
  async *execute({ text }) {
    yield working();
    if (text === "go") go();
    else {
      await told;
      yield artifact({ name: "large" }).text("x".repeat(Number(text.replace("large ", "")) * 1024 * 1024));
    }
    yield completed();
  },
});

const { port } = await serve(agent, {
  push: { ...near, timeout: 600 },
  auth: { verifiers: { login: bearerTokens(Object.fromEntries(owners.map((owner) => [owner, owner]))) } },
  logger: { debug() {}, info() {}, warn() {}, error: (facts, text) => console.error(text, facts) },
});
tellPort(port);
