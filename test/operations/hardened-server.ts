import { defineExtension, reply } from "../../src/index.js";
import { serve } from "../../src/server/index.js";
import { allVersions } from "../support/all-versions.js";

const priority = defineExtension<{ level: number }>({
  uri: "https://example.com/extensions/priority/v1",
  metadata: { type: "object", required: ["level"], properties: { level: { type: "integer" } } },
});

/** Serves an agent whose extension has a JSON Schema in every version until the process is ended, and prints its address. */
const server = await serve(
  {
    card: { name: "Hardened", description: "Repeats what it is told." },
    extensions: [priority],
    execute: async ({ text }) => reply(text),
  },
  { versions: allVersions },
);
console.log(server.url);
