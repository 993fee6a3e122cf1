import { runtime } from "#runtime";
import { authorizationCredential } from "./headers.js";
import type { IncomingRequest } from "./incoming-request.js";
import { inTable } from "./secret-table.js";
import { type Credential, type Identity, proofOf, type Verifier, type VerifierAnswer } from "./verifier.js";

/** A name and a password. */
export interface UserCredentials {
  readonly user: string;
  readonly password: string;
}

/** Looks up the owner of a name and a password. */
export type UserCheck = (
  credentials: UserCredentials,
  request: IncomingRequest,
) => VerifierAnswer | Promise<VerifierAnswer>;

/** An entry of the table of users. The id is the user's name unless another is given. */
export interface KnownUser extends Partial<Identity> {
  /** Password of the user; not empty. */
  readonly password: string;
}

/**
 * Authenticates callers by name and password in HTTP Basic authentication (RFC 7617).
 *
 * @param known passwords by name, each alone or with an identity, or a function that finds the owner of a name and a password
 * @example
 * ```ts
 * verifiers: { basic: basicUsers({ alice: { password: alicePassword } }) }
 * ```
 * @throws TypeError for an argument that is neither a table nor a function, a name that is empty or has a colon, an empty password, or
 *   details that are not those of an identity
 */
export function basicUsers(known: Readonly<Record<string, KnownUser | string>> | UserCheck): Verifier {
  const check = typeof known === "function" ? known : byCredentials(known);
  return {
    open({ httpAuthSecurityScheme: scheme }) {
      if (scheme?.scheme.toLowerCase() !== "basic") {
        throw new TypeError("is not HTTP Basic, which is what its verifier checks");
      }
      return async (request) => {
        const credentials = read(request);
        if (credentials?.value === undefined) return credentials;
        return proofOf(await check(credentials.value, request));
      };
    },
  };
}

function byCredentials(known: Readonly<Record<string, KnownUser | string>>): UserCheck {
  const check = inTable(known, (user, entry) => {
    const { password, ...more } = typeof entry === "string" ? { password: entry } : entry;
    if (user === "" || user.includes(":")) {
      throw new TypeError("The name of a user must not be empty or contain a colon");
    }
    if (!password) throw new TypeError("The password of a user must not be empty");
    return [`${user}:${password}`, { id: user, ...more }];
  });
  return ({ user, password }) => check(`${user}:${password}`);
}

const BASE64 = /^[A-Za-z\d+/]+={0,2}$/;
const CONTROL = /\p{Cc}/u;

function read(request: IncomingRequest): Credential<UserCredentials> {
  const found = authorizationCredential(request, "basic");
  if (found?.value === undefined) return found;
  const text = BASE64.test(found.value) ? utf8(runtime.fromBase64(found.value)) : undefined;
  const end = text?.indexOf(":") ?? -1;
  if (text === undefined || end < 0 || CONTROL.test(text)) return { refused: "malformed" };
  return { value: { user: text.slice(0, end), password: text.slice(end + 1) } };
}

function utf8(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}
