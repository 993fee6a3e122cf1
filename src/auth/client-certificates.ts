import type { ClientCertificate, IncomingRequest } from "./incoming-request.js";
import { inTable } from "./secret-table.js";
import { type Identity, proofOf, type Verifier, type VerifierAnswer } from "./verifier.js";

/** Looks up the owner of a certificate. It is called only for certificates that the server trusts. */
export type CertificateCheck = (
  certificate: ClientCertificate,
  request: IncomingRequest,
) => VerifierAnswer | Promise<VerifierAnswer>;

/**
 * Authenticates callers by the client certificate of the TLS connection (mutual TLS). The server must request
 * certificates and know the issuing authorities: `https.createServer({ requestCert: true, ca, … })`.
 *
 * @param known owners by the common name of the subject, or a function that looks them up. Without it the common name
 *   is the id, which is safe only when the authority issues certificates for this agent alone
 * @throws TypeError for an argument that is neither a table nor a function, an empty common name, or an owner that is not an identity
 * @example `serve(agent, { auth: { verifiers: { mtls: clientCertificates({ "planner.example": "planner" }) } } })`
 */
export function clientCertificates(
  known: Readonly<Record<string, Identity | string>> | CertificateCheck = commonName,
): Verifier {
  const check = typeof known === "function" ? known : byCommonName(known);
  return {
    open({ mtlsSecurityScheme: scheme }) {
      if (scheme === undefined) throw new TypeError("is not mutual TLS, which is what its verifier checks");
      return async (request) => {
        const { certificate } = request;
        if (certificate === undefined) return undefined;
        return certificate.trusted ? proofOf(await check(certificate, request)) : { refused: "untrusted" };
      };
    },
  };
}

function byCommonName(known: Readonly<Record<string, Identity | string>>): CertificateCheck {
  const check = inTable(known);
  return (certificate) => check(commonName(certificate) ?? "");
}

function commonName({ subject: { CN } }: ClientCertificate): string | undefined {
  return typeof CN === "string" && CN !== "" ? CN : undefined;
}
