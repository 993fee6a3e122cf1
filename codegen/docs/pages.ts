import type { Spec } from "../spec-model.js";
import { errorsPage } from "./errors-page.js";
import { page } from "./markdown.js";
import { operationsPage } from "./operations-page.js";
import { streamsPage } from "./streams-page.js";
import { typesPage } from "./types-page.js";

/** The pages of the reference: file name below `docs/reference/` -> text. A pure function of the spec. */
export function pages(spec: Spec): ReadonlyMap<string, string> {
  const { protocolVersion, operations, messages, enums, errors } = spec;
  const index = page(`Reference of A2A ${protocolVersion}`, [
    forReaders(spec.description),
    [
      `- [Operations](operations.md): ${operations.length}, with method, routes, types and errors`,
      `- [Types](types.md): ${messages.length} messages and ${enums.length} enums with their members`,
      `- [Errors](errors.md): ${errors.length}, with their codes in each binding`,
      "- [Streams](streams.md): frames of event streams and bodies of webhooks",
    ].join("\n"),
    "A server with HTTP+JSON in this version publishes operations, types and errors as an OpenAPI document at `/openapi.json`, and with the option `docs` as a page for browsers at `/docs`, except on runtimes without files, such as Workers. The terms that are not part of the protocol are in the [glossary](../glossary.md).",
  ]);
  return new Map([
    ["README.md", index],
    ["operations.md", operationsPage(spec)],
    ["types.md", typesPage(spec)],
    ["errors.md", errorsPage(spec)],
    ["streams.md", streamsPage(spec)],
  ]);
}

/** The description of the schema, without its sentences about keywords, which no page shows. */
function forReaders(description: string): string {
  return description
    .split(/(?<=\.) /)
    .filter((sentence) => !sentence.includes("`x-"))
    .join(" ");
}
