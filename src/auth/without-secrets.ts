import { A2AError } from "../protocol/errors.js";
import { redactedError, redactionFor, type SecretSource } from "./redaction.js";

/**
 * An error of the credential check that is safe for the caller and for logs: an error of the application or of a
 * library may quote the request, so credentials are removed from its message, its facts and its cause (§13.4). Its
 * challenge stays as it is: it names schemes, and `Bearer` is also a word of the credentials.
 */
export function withoutSecrets(thrown: unknown, request: SecretSource): A2AError {
  const redact = redactionFor(request);
  const clean = (fact: unknown): string => redact(textOf(fact));
  const { code, message, retryAfter, challenge, metadata, violations, cause } = A2AError.from(thrown);
  return new A2AError(code, clean(message), {
    metadata: Object.fromEntries(Object.entries(metadata).map(([name, fact]) => [clean(name), clean(fact)])),
    violations: violations.map(({ field, description }) => ({
      field: clean(field),
      description: clean(description),
    })),
    ...(retryAfter !== undefined && { retryAfter }),
    ...(challenge !== undefined && { challenge }),
    ...(cause !== undefined && { cause: redactedError(cause, redact) }),
  });
}

/** A fact as text. Facts of an application without types may be of other types, even objects that have no text. */
function textOf(fact: unknown): string {
  try {
    return String(fact);
  } catch {
    return typeof fact;
  }
}
