import { A2AError } from "../protocol/errors.js";
import { redactedError, redactionFor, type SecretSource } from "./redaction.js";

/**
 * An error of the credential check that is safe for the caller and for logs: an error of the application or of a
 * library may quote the request, so credentials are removed from its message and its cause (§13.4).
 */
export function withoutSecrets(thrown: unknown, request: SecretSource): A2AError {
  const clean = redactionFor(request);
  const { code, message, retryAfter, challenge, metadata, violations, cause } = A2AError.from(thrown);
  return new A2AError(code, clean(message), {
    metadata,
    violations,
    ...(retryAfter !== undefined && { retryAfter }),
    ...(challenge !== undefined && { challenge }),
    ...(cause !== undefined && { cause: redactedError(cause, clean) }),
  });
}
