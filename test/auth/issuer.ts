import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { type CryptoKey, exportJWK, generateKeyPair, type JWK, SignJWT } from "jose";
import type { TestContext } from "vitest";

/** An issuer of tokens. */
export interface TestIssuer {
  readonly name: string;
  readonly keys: { readonly keys: JWK[] };
  readonly privateKey: CryptoKey;
  /** Signs a good token for alice, with changes of claims (undefined takes one away) and header. */
  token(claims?: Record<string, unknown>, header?: Record<string, unknown>): Promise<string>;
}

/** Seconds since 1970, some time from now. */
export function inSeconds(seconds: number): number {
  return Math.floor(Date.now() / 1000) + seconds;
}

/** Makes an issuer with one key. */
export async function makeIssuer(
  name = "https://issuer.example",
  alg = "RS256",
  kid = "key-1",
): Promise<TestIssuer> {
  const { publicKey, privateKey } = await generateKeyPair(alg, { extractable: true });
  const keys = { keys: [{ ...(await exportJWK(publicKey)), kid, alg, use: "sig" }] };
  return {
    name,
    keys,
    privateKey,
    token(claims = {}, header = {}) {
      const all = {
        iss: name,
        aud: "https://agent.example",
        sub: "alice",
        exp: inSeconds(60),
        scope: "read write",
        ...claims,
      };
      return new SignJWT(JSON.parse(JSON.stringify(all)))
        .setProtectedHeader({ alg, kid, ...header })
        .sign(privateKey);
    },
  };
}

/** Serves documents by path, and counts how often each was asked for. What is no object is sent as it is. */
export async function serveDocuments(t: TestContext, documents: Record<string, unknown>) {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    const path = request.url ?? "";
    asked.push(path);
    const document = documents[path];
    if (document === undefined) response.writeHead(404).end();
    else if (typeof document === "number") response.writeHead(document, { Location: "/elsewhere" }).end();
    else response.end(typeof document === "string" ? document : JSON.stringify(document));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  t.onTestFinished(() => void server.close());
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, asked, documents };
}
