import type { ErrorRow, Operation, Spec } from "../spec-model.js";
import { componentReference, type JsonSchema } from "./component-schemas.js";

/** Media types of HTTP+JSON bodies, the preferred one first. */
export const mediaTypes: readonly string[] = ["application/a2a+json", "application/json"];

const errorDomain = "a2a-protocol.org";

/** Schemas of the error body of the HTTP+JSON binding. */
export function errorSchemas({ errors }: Spec): Record<string, JsonSchema> {
  return {
    ErrorResponse: object("Body of every response that reports an error.", {
      error: componentReference("ErrorStatus"),
    }),
    ErrorStatus: object(
      "What went wrong, in the form of google.rpc.Status.",
      {
        code: { type: "integer", description: "HTTP status of the response." },
        status: {
          type: "string",
          description: "Name of the status.",
          examples: [...new Set(errors.map(({ status }) => status))],
        },
        message: { type: "string", description: "Description of the error, for people." },
        details: {
          type: "array",
          description:
            "Details for programs. An error of the protocol has an ErrorInfo; invalid parameters have a BadRequest.",
          items: componentReference("ErrorDetail"),
        },
      },
      ["details"],
    ),
    ErrorDetail: {
      description: "One detail; `@type` identifies its type. There may be details of other types.",
      anyOf: ["ErrorInfo", "BadRequest", "OtherDetail"].map(componentReference),
    },
    ErrorInfo: object(
      "Identifies the error.",
      {
        "@type": detailType("ErrorInfo"),
        reason: {
          type: "string",
          description: "Code of the error.",
          examples: errors.map(({ code }) => code),
        },
        domain: {
          type: "string",
          description: `\`${errorDomain}\` for the errors listed here.`,
          examples: [errorDomain],
        },
        metadata: {
          type: "object",
          description: "Values that the error is about.",
          additionalProperties: { type: "string" },
        },
      },
      ["metadata"],
    ),
    BadRequest: object("The invalid members of the request.", {
      "@type": detailType("BadRequest"),
      fieldViolations: {
        type: "array",
        description: "One entry per fault.",
        items: componentReference("FieldViolation"),
      },
    }),
    FieldViolation: object("One fault in the request.", {
      field: { type: "string", description: "Path of the member.", examples: ["message.parts[0].url"] },
      description: { type: "string", description: "What is wrong, and what would be valid." },
    }),
    OtherDetail: object("A detail of another type.", {
      "@type": { type: "string", description: "URL of the type of the detail." },
    }),
  };
}

/** The response for every error that an operation does not list itself. */
export function defaultErrorResponse(): JsonSchema {
  return { description: "Any other error.", content: errorContent() };
}

/** Responses for the errors of an operation by HTTP status, lowest first. */
export function errorResponses(
  operation: Operation,
  errors: readonly ErrorRow[],
): Record<string, JsonSchema> {
  const rows = errors.filter(({ code }) => operation.errors.includes(code));
  const statuses = [...new Set(rows.map(({ httpStatus }) => httpStatus))].sort((left, right) => left - right);
  return Object.fromEntries(
    statuses.map((status) => {
      const texts = rows
        .filter((row) => row.httpStatus === status)
        .map((row) => `- \`${row.code}\`: ${row.description}`);
      return [String(status), { description: texts.join("\n"), content: errorContent() }];
    }),
  );
}

function errorContent(): JsonSchema {
  return Object.fromEntries(
    mediaTypes.map((type) => [type, { schema: componentReference("ErrorResponse") }]),
  );
}

function detailType(name: string): JsonSchema {
  return { type: "string", const: `type.googleapis.com/google.rpc.${name}` };
}

function object(
  description: string,
  properties: Readonly<Record<string, JsonSchema>>,
  optional: readonly string[] = [],
): JsonSchema {
  const required = Object.keys(properties).filter((name) => !optional.includes(name));
  return { type: "object", description, properties, required };
}
