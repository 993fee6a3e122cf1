import { A2AError } from "../protocol/errors.js";
import { redactedError, redactionFor, type SecretSource } from "./redaction.js";

/**
 * What was thrown while a request's credentials were checked, for the caller and for logs: text of the request is taken out of
 * it, since an error of the application or of a library may well repeat it (§13.4).
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
