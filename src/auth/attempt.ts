import { A2AError } from "../errors.js";
import type { IncomingRequest } from "../incoming-request.js";
import { type Challenged, challengeOf } from "./challenge.js";
import type { OpenScheme } from "./open-schemes.js";
import { type Reasons, RefusedCredentials } from "./refused-credentials.js";
import { checkedProof, type Identity, type Proof } from "./verifier.js";

/** A scheme that a requirement of the card names, and the scopes that it asks for. */
export interface Demand {
  readonly scheme: OpenScheme;
  readonly scopes: readonly string[];
}

/** An identity and the scheme that proved it. */
export interface Vouched {
  readonly scheme: string;
  readonly identity: Identity;
}

/** One request on its way through the requirements of a card. Each scheme is checked once at most, and only when it matters. */
export class Attempt {
  readonly #request: IncomingRequest;
  readonly #proofs = new Map<OpenScheme, Proof | undefined>();
  readonly #lacking = new Map<OpenScheme, readonly string[]>();

  constructor(request: IncomingRequest) {
    this.#request = request;
  }

  /** Whether credentials were shown that do not hold, or do not carry what they must. */
  get failed(): boolean {
    return this.#lacking.size > 0 || [...this.#proofs.values()].some((proof) => proof?.refused !== undefined);
  }

  /** Whom the request proves to come from by all of the schemes; undefined when one of them is not satisfied (CARD-16). */
  async meet(demands: readonly Demand[]): Promise<Vouched[] | undefined> {
    const met: Vouched[] = [];
    for (const { scheme } of demands) {
      const identity = (await this.#prove(scheme))?.identity;
      if (identity === undefined) return undefined;
      met.push({ scheme: scheme.name, identity });
    }
    const lacking = demands.flatMap(({ scheme, scopes }, index) => {
      const has = new Set(met[index]?.identity.scopes);
      const missing = [...scheme.requiredScopes, ...scopes].filter((scope) => !has.has(scope));
      if (missing.length > 0) this.#lacking.set(scheme, [...new Set(missing)]);
      return missing;
    });
    return lacking.length > 0 ? undefined : met;
  }

  /**
   * The answer to a request that satisfied no requirement.
   * @param accepted schemes that would do
   */
  refusal(accepted: readonly OpenScheme[], realm: string): A2AError {
    const reasons: Record<string, Reasons[string]> = {};
    for (const [{ name }, proof] of this.#proofs) if (proof?.refused) reasons[name] = proof.refused;
    for (const { name } of this.#lacking.keys()) reasons[name] = "scope";
    const cause = new RefusedCredentials(reasons);
    const challenge = challengeOf(accepted.map(this.#challenged), realm);
    if (this.#lacking.size > 0) {
      const scopes = [...new Set([...this.#lacking.values()].flat())].join(" ");
      return new A2AError("PERMISSION_DENIED", `The credentials lack the scope ${scopes}`, {
        challenge,
        cause,
      });
    }
    return new A2AError("UNAUTHENTICATED", message(Object.values(reasons)), { challenge, cause });
  }

  readonly #challenged = (accepted: OpenScheme): Challenged => {
    const { scheme } = accepted;
    const lacking = this.#lacking.get(accepted);
    if (lacking !== undefined)
      return { scheme, remark: { error: "insufficient_scope", scope: lacking.join(" ") } };
    const refused = this.#proofs.get(accepted)?.refused;
    if (refused === undefined) return { scheme };
    const description = refused === "expired" && { error_description: "The token has expired" };
    return { scheme, remark: { error: "invalid_token", ...description } };
  };

  async #prove(scheme: OpenScheme): Promise<Proof | undefined> {
    if (this.#proofs.has(scheme)) return this.#proofs.get(scheme);
    const proof = checkedProof(await scheme.probe(this.#request));
    this.#proofs.set(scheme, proof);
    return proof;
  }
}

/** Callers learn whether new credentials will help, and nothing by which they could get better at guessing. */
function message(reasons: readonly string[]): string | undefined {
  if (reasons.length === 0) return undefined;
  return reasons.includes("expired") ? "The credentials have expired" : "The credentials are not valid";
}
