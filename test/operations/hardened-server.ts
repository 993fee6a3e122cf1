import { reply } from "../../src/index.js";
import { serve } from "../../src/server/index.js";

/** Serves an agent in every version until the process is ended, and prints its address. */
const server = await serve(
  {
    card: { name: "Hardened", description: "Repeats what it is told." },
    execute: async ({ text }) => reply(text),
  },
  { versions: ["1.0", "0.3", "0.1-flat", "0.1"] },
);
console.log(server.url);
