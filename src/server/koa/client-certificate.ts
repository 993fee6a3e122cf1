import type { Socket } from "node:net";
import { type Certificate, TLSSocket } from "node:tls";
import type { ClientCertificate } from "../../auth/incoming-request.js";

/** The certificate of the client at the other end of a connection; undefined when it has shown none. */
export function certificateOf(socket: Socket): ClientCertificate | undefined {
  if (!(socket instanceof TLSSocket)) return undefined;
  const { subject, subjectaltname, fingerprint256, serialNumber } = socket.getPeerCertificate();
  // Node gives an object without members for no certificate.
  if (fingerprint256 === undefined) return undefined;
  return {
    trusted: socket.authorized,
    subject: attributesOf(subject),
    alternativeNames: namesOf(subjectaltname ?? ""),
    fingerprint: fingerprint256,
    serialNumber,
  };
}

function attributesOf(subject: Certificate): ClientCertificate["subject"] {
  return Object.fromEntries(
    Object.entries(subject).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  );
}

/** Names are joined by commas; one that has a comma in it is written as a JSON string. */
const NAME = /([^,:"]+):("(?:[^"\\]|\\.)*"|[^,]*)/g;

function namesOf(text: string): string[] {
  return Array.from(text.matchAll(NAME), ([, kind = "", value = ""]) => {
    const plain = value.startsWith('"') ? String(JSON.parse(value)) : value;
    return `${kind.trim()}:${plain}`;
  });
}
