import type { Operation, Spec } from "../spec-model.js";
import { errorLink, operationLink, page, table, typeLink } from "./markdown.js";

/** `operations.md`: every operation with its method, routes, types and errors. */
export function operationsPage({ protocolVersion, operations, commonErrors }: Spec): string {
  const rows = operations.map(({ name, method, http, streaming }) => {
    const [route] = http;
    return [
      operationLink(name),
      `\`${method}\``,
      route ? `\`${route.verb} ${route.path}\`` : "",
      streaming ? "stream" : "",
    ];
  });
  return page(`Operations of A2A ${protocolVersion}`, [
    table(["Operation", "JSON-RPC method", "HTTP+JSON", ""], rows),
    `Every operation may also answer with ${commonErrors.map(errorLink).join(", ")}.`,
    ...operations.flatMap(operationSection),
  ]);
}

function operationSection(operation: Operation): string[] {
  const { name, description, method, http, request, response, streaming, capability, errors } = operation;
  const routes = http.map(({ verb, path }) => `- \`${verb} ${path}\``).join("\n");
  const answer = response === null ? "nothing" : typeLink(response);
  return [
    `## ${name}`,
    description,
    `Takes ${typeLink(request)} and answers with ${streaming ? `a stream of ${answer} (see [streams](streams.md))` : answer}.`,
    `JSON-RPC method: \`${method}\`.`,
    ...(http.length > 0 ? [`HTTP+JSON:\n\n${routes}`] : []),
    ...(capability === null ? [] : [`The agent must declare the capability \`${capability}\` in its card.`]),
    ...(errors.length > 0 ? [`Errors of its own: ${errors.map(errorLink).join(", ")}.`] : []),
  ];
}
