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
    `Every operation may also return these errors: ${commonErrors.map(errorLink).join(", ")}.`,
    `If an agent [implements the operations itself](../handler.md), the server checks each response, and returns ${errorLink("INVALID_AGENT_RESPONSE")} in place of an invalid one. GetExtendedAgentCard also returns this error if a member that the option \`extendedCard\` gives is invalid.`,
    ...operations.flatMap((row) => operationSection(row, commonErrors)),
  ]);
}

/** @param common the errors of every operation, which are listed once */
function operationSection(operation: Operation, common: Spec["commonErrors"]): string[] {
  const { name, description, method, http, request, response, streaming, capability } = operation;
  const errors = operation.errors.filter((code) => !common.includes(code));
  const routes = http.map(({ verb, path }) => `- \`${verb} ${path}\``).join("\n");
  const result = response === null ? "empty (`null` in JSON-RPC, `{}` in HTTP+JSON)" : typeLink(response);
  return [
    `## ${name}`,
    description,
    `The request is ${typeLink(request)}, and the response is ${streaming ? `a stream of ${result} (see [streams](streams.md))` : result}.`,
    `JSON-RPC method: \`${method}\`.`,
    ...(http.length > 0 ? [`HTTP+JSON:\n\n${routes}`] : []),
    ...(capability === null ? [] : [`The agent must declare the capability \`${capability}\` in its card.`]),
    ...(errors.length > 0 ? [`Further errors: ${errors.map(errorLink).join(", ")}.`] : []),
  ];
}
