import { anonymous, type Principal } from "../protocol/call-context.js";
import { A2AError } from "../protocol/errors.js";
import type { AgentCard } from "../protocol/model.js";
import { type Challenged, challengeOf, type Reasons, RefusedCredentials } from "./challenge.js";
import type { IncomingRequest } from "./incoming-request.js";
import type { OpenScheme } from "./open-schemes.js";
import { checkedProof, type Identity, type Proof } from "./verifier.js";

/** A scheme that a requirement of the card names, and the scopes that it asks for. */
interface Demand {
  readonly scheme: OpenScheme;
  readonly scopes: readonly string[];
}

/** An identity and the scheme that proved it. */
interface Vouched {
  readonly scheme: string;
  readonly identity: Identity;
}

/** One request on its way through the requirements of a card. Each scheme is checked once at most, and only when it matters. */
class Attempt {
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

  /** Whom the request proves to come from by all of the schemes; undefined when one of them is not satisfied (proto SecurityRequirement). */
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

/**
 * Finds out who sends a request, as the card's `securityRequirements` say: one entry must be satisfied, and for that all of
 * its schemes, each with its scopes (proto SecurityRequirement). An empty entry, or no entry at all, lets everybody in: those with valid
 * credentials under their name, the others as the anonymous principal (§4.5.1). Credentials that do not hold are refused
 * there, too (§3.3.2).
 */
export class Authenticator {
  /** What callers are told who have to say who they are: the value of `WWW-Authenticate`. */
  readonly challenge: string;
  readonly #realm: string;
  readonly #entries: readonly (readonly Demand[])[];
  readonly #anyone: boolean;
  /** Schemes that would do, in the order of the card. */
  readonly #accepted: readonly OpenScheme[];

  /** @throws TypeError when a requirement names a scheme that there is not */
  constructor(card: AgentCard, schemes: ReadonlyMap<string, OpenScheme>, realm: string) {
    const entries = (card.securityRequirements ?? []).map(({ schemes: named = {} }) =>
      Object.entries(named).map(([name, { list: scopes = [] }]): Demand => {
        const scheme = schemes.get(name);
        if (scheme === undefined) throw new TypeError(`There is no security scheme "${name}"`);
        return { scheme, scopes };
      }),
    );
    const demanding = entries.filter((demands) => demands.length > 0);
    this.#anyone = entries.length === 0 || demanding.length < entries.length;
    const all = [...schemes.values()];
    // Where everybody is let in, each scheme is a way to be known.
    this.#entries = this.#anyone
      ? [...demanding, ...all.map((scheme): Demand[] => [{ scheme, scopes: [] }])]
      : demanding;
    this.#accepted = all.filter((one) =>
      this.#entries.some((entry) => entry.some(({ scheme }) => scheme === one)),
    );
    this.#realm = realm;
    this.challenge = challengeOf(this.#accepted, realm);
  }

  /**
   * @throws A2AError UNAUTHENTICATED when credentials are missing or not valid, PERMISSION_DENIED when they lack a scope,
   * both with a challenge that names the accepted schemes (§3.3.2); whatever a verifier throws
   */
  async authenticate(request: IncomingRequest): Promise<Principal> {
    const attempt = new Attempt(request);
    for (const demands of this.#entries) {
      const vouched = await attempt.meet(demands);
      if (vouched !== undefined) return principalOf(vouched);
    }
    if (this.#anyone && !attempt.failed) return anonymous;
    throw attempt.refusal(this.#accepted, this.#realm);
  }
}

/** One principal of all who were vouched for: together they are somebody else than each of them alone. */
function principalOf(vouched: readonly Vouched[]): Principal {
  const principals = vouched.map(({ scheme, identity: { id, scopes, claims } }) =>
    Object.freeze<Principal>({ id, scheme, ...(scopes && { scopes }), ...(claims && { claims }) }),
  );
  const [only, ...others] = principals as [Principal, ...Principal[]];
  if (others.length === 0) return only;
  return Object.freeze<Principal>({
    id: principals.map(({ id }) => encodeURIComponent(id)).join("&"),
    scheme: principals.map(({ scheme }) => scheme).join("&"),
    scopes: [...new Set(principals.flatMap(({ scopes = [] }) => scopes))],
    identities: principals,
  });
}
