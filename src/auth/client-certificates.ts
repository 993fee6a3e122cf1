import type { ClientCertificate, IncomingRequest } from "./incoming-request.js";
import { type Identity, identityOf, proofOf, type Verifier, type VerifierAnswer } from "./verifier.js";

/** Says whom a certificate belongs to. It is asked only about certificates that the server trusts. */
export type CertificateCheck = (
  certificate: ClientCertificate,
  request: IncomingRequest,
) => VerifierAnswer | Promise<VerifierAnswer>;

/**
 * Vouches for callers by the certificate that they showed when the TLS connection was made (mutual TLS). The server must ask
 * for certificates and know the authorities that issue them: `https.createServer({ requestCert: true, ca, … })`.
 *
 * @param known whom certificates belong to, by the common name of their subject; or a function that finds out. Without it the
 *   common name is the id: only where the authority issues certificates to callers of this agent alone
 * @throws TypeError for a common name that belongs to nobody
 */
export function clientCertificates(
  known: Readonly<Record<string, Identity | string>> | CertificateCheck = commonName,
): Verifier {
  const check = typeof known === "function" ? known : inTable(known);
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

function inTable(known: Readonly<Record<string, Identity | string>>): CertificateCheck {
  const table = new Map(Object.entries(known).map(([name, owner]) => [name, identityOf(owner)]));
  return (certificate) => table.get(commonName(certificate) ?? "");
}

function commonName({ subject: { CN } }: ClientCertificate): string | undefined {
  return typeof CN === "string" && CN !== "" ? CN : undefined;
}
