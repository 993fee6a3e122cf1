import type { A2AError } from "../errors.js";

/** One detail of an error, told apart by `@type` (§9.5, §11.6). */
export interface ErrorDetail {
  readonly "@type": string;
  readonly [member: string]: unknown;
}

const ERROR_INFO = "type.googleapis.com/google.rpc.ErrorInfo";
const BAD_REQUEST = "type.googleapis.com/google.rpc.BadRequest";
const DOMAIN = "a2a-protocol.org";

/** The details of an error: always an ErrorInfo with its reason, and a BadRequest when members of the request are at fault. */
export function errorDetails({ code, metadata, violations }: A2AError): ErrorDetail[] {
  const details: ErrorDetail[] = [
    {
      "@type": ERROR_INFO,
      reason: code,
      domain: DOMAIN,
      ...(Object.keys(metadata).length > 0 && { metadata }),
    },
  ];
  if (violations.length > 0) details.push({ "@type": BAD_REQUEST, fieldViolations: violations });
  return details;
}
