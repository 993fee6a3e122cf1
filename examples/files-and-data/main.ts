import { bytesOf, connect, dataPart, filePart, type Part, textPart } from "a2a-parley/client";
import { serve } from "a2a-parley/server";
import { agent } from "./agent.js";

const server = await serve(agent);
const client = await connect(server.url);

const poem = "The rain it raineth every day, the rain, the rain.";
const parts = [
  textPart("Which words are the most frequent?"),
  filePart(new TextEncoder().encode(poem), { filename: "poem.txt", mediaType: "text/plain" }),
  dataPart({ top: 2 }),
];

for (const acceptedOutputModes of [["application/json"], ["text/csv"]]) {
  const stream = client.stream(parts, { configuration: { acceptedOutputModes } });
  const { task } = await stream.result();
  for (const { name, description, parts } of task?.artifacts ?? []) {
    console.log(`${name} (${description})`);
    for (const part of parts) console.log(`  ${shown(part)}`);
  }
}

/** Describes a part, which has exactly one of four kinds of content. */
function shown(part: Part): string {
  if (part.text !== undefined) return `text: ${part.text}`;
  if (part.data !== undefined) return `data: ${JSON.stringify(part.data)}`;
  if (part.url !== undefined) return `file at ${part.url}`;
  return `file ${part.filename}: ${JSON.stringify(new TextDecoder().decode(bytesOf(part)))}`;
}

await server.close();
