import { createPrivateKey, generateKeyPairSync, type KeyObject, sign } from "node:crypto";

/** A certificate and its key, as PEM. */
export interface Certified {
  readonly cert: string;
  readonly key: string;
}

/** What a certificate says. */
export interface Certification {
  /** Attributes of the subject, by short name. */
  readonly subject: Readonly<Record<string, string | readonly string[]>>;
  /** Names like `DNS:localhost`, `IP:127.0.0.1` and `URI:spiffe://example/agent`. */
  readonly names?: readonly string[];
  /** Who signs it; itself, as an authority, when left out. */
  readonly issuer?: Certified & Pick<Certification, "subject">;
  /** Milliseconds since 1970. */
  readonly until?: number;
}

/** Two bytes, the first of which neither is zero nor makes the number negative. */
let serial = 0x4000;

/** Makes a certificate (RFC 5280), so that no key has to lie in the repository. */
export function certify({ subject, names = [], issuer, until }: Certification): Certified {
  const { publicKey, privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  serial += 1;
  const extensions = [
    ...(issuer === undefined ? [extension("551d13", der(0x30, der(0x01, [0xff])))] : []),
    ...(names.length > 0 ? [extension("551d11", der(0x30, ...names.map(alternativeName)))] : []),
  ];
  const body = der(
    0x30,
    der(0xa0, der(0x02, [2])),
    der(0x02, [serial >> 8, serial & 0xff]),
    algorithm,
    distinguishedName((issuer ?? { subject }).subject),
    der(0x30, time(Date.now() - 3_600_000), time(until ?? Date.now() + 3_600_000)),
    distinguishedName(subject),
    publicKey.export({ type: "spki", format: "der" }),
    der(0xa3, der(0x30, ...extensions)),
  );
  const signer: KeyObject = issuer === undefined ? privateKey : createPrivateKey(issuer.key);
  const certificate = der(0x30, body, algorithm, der(0x03, [0], sign("sha256", body, signer)));
  return {
    cert: `-----BEGIN CERTIFICATE-----\n${certificate.toString("base64")}\n-----END CERTIFICATE-----\n`,
    key: privateKey.export({ type: "pkcs8", format: "pem" }) as string,
  };
}

/** A value of DER: tag, length, contents. */
function der(tag: number, ...contents: (Uint8Array | number[])[]): Buffer {
  const body = Buffer.concat(contents.map((part) => Buffer.from(part)));
  // Strict readers, such as that of Go, refuse a length that is longer than it has to be.
  const [high, low] = [body.length >> 8, body.length & 0xff];
  const length = body.length < 128 ? [low] : high === 0 ? [0x81, low] : [0x82, high, low];
  return Buffer.concat([Buffer.from([tag, ...length]), body]);
}

function oid(hex: string): Buffer {
  return der(0x06, Buffer.from(hex, "hex"));
}

/** ecdsa-with-SHA256 */
const algorithm = der(0x30, oid("2a8648ce3d040302"));

const attributes: Readonly<Record<string, string>> = { CN: "550403", O: "55040a", OU: "55040b" };

function distinguishedName(subject: Certification["subject"]): Buffer {
  const pairs = Object.entries(subject).flatMap(([name, value]) => [value].flat().map((one) => [name, one]));
  return der(
    0x30,
    ...pairs.map(([name = "", value = ""]) =>
      der(0x31, der(0x30, oid(attributes[name] ?? ""), der(0x0c, Buffer.from(value)))),
    ),
  );
}

function alternativeName(name: string): Buffer {
  const [kind, ...rest] = name.split(":");
  const value = rest.join(":");
  if (kind === "IP") return der(0x87, value.split(".").map(Number));
  return der(kind === "DNS" ? 0x82 : 0x86, Buffer.from(value));
}

function extension(id: string, value: Buffer): Buffer {
  return der(0x30, oid(id), der(0x04, value));
}

function time(milliseconds: number): Buffer {
  const text = new Date(milliseconds).toISOString().replace(/[-:T]|\.\d+/g, "");
  return der(0x18, Buffer.from(text));
}
