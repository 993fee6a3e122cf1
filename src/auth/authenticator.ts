import { anonymous, type Principal } from "../protocol/call-context.js";
import { A2AError } from "../protocol/errors.js";
import type { AgentCard } from "../protocol/model.js";
import { type Challenged, challengeOf, type Reasons, RefusedCredentials } from "./challenge.js";
import type { IncomingRequest } from "./incoming-request.js";
import type { OpenScheme } from "./open-schemes.js";
import { checkedProof, type Identity, type Proof } from "./verifier.js";

/** A scheme that a requirement of the card names, with the required scopes. */
interface RequiredScheme {
  readonly scheme: OpenScheme;
  readonly scopes: readonly string[];
}

/** An identity, and the scheme that proved it. */
interface ProvenIdentity {
  readonly scheme: string;
  readonly identity: Identity;
}

/**
 * Evaluates one request against the requirements of a card. Each scheme is checked at most once, and only when needed.
 */
class RequirementCheck {
  readonly #request: IncomingRequest;
  readonly #proofs = new Map<OpenScheme, Proof | undefined>();
  readonly #lacking = new Map<OpenScheme, readonly string[]>();

  constructor(request: IncomingRequest) {
    this.#request = request;
  }

  /** Whether the request had invalid credentials, or credentials that lack a required scope. */
  get failed(): boolean {
    return this.#lacking.size > 0 || [...this.#proofs.values()].some((proof) => proof?.refused !== undefined);
  }

  /**
   * The identities that all of these schemes prove; undefined when one of them is not satisfied (proto
   * SecurityRequirement).
   */
  async meet(required: readonly RequiredScheme[]): Promise<ProvenIdentity[] | undefined> {
    const met: ProvenIdentity[] = [];
    for (const { scheme } of required) {
      const identity = (await this.#prove(scheme))?.identity;
      if (identity === undefined) return undefined;
      met.push({ scheme: scheme.name, identity });
    }
    const lacking = required.flatMap(({ scheme, scopes }, index) => {
      const has = new Set(met[index]?.identity.scopes);
      const missing = [...scheme.requiredScopes, ...scopes].filter((scope) => !has.has(scope));
      if (missing.length > 0) this.#lacking.set(scheme, [...new Set(missing)]);
      return missing;
    });
    return lacking.length > 0 ? undefined : met;
  }

  /**
   * The answer to a request that satisfies no requirement.
   * @param accepted schemes that the caller can use
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

/**
 * The text for the caller. It says whether the credentials have expired, and nothing that would help to guess valid ones. Undefined when
 * there were no credentials.
 */
function message(reasons: readonly string[]): string | undefined {
  if (reasons.length === 0) return undefined;
  return reasons.includes("expired") ? "The credentials have expired" : "The credentials are not valid";
}

/**
 * Identifies callers by the card's `securityRequirements`: one entry must be satisfied, which means all of its schemes,
 * each with its scopes (proto SecurityRequirement). An empty entry, or no entry at all, admits anonymous callers;
 * callers with valid credentials are still identified (§4.5.1). Invalid credentials are refused in that case too
 * (§3.3.2).
 */
export class Authenticator {
  /** Value of `WWW-Authenticate` for callers that must authenticate. */
  readonly challenge: string;
  readonly #realm: string;
  readonly #entries: readonly (readonly RequiredScheme[])[];
  /** Whether callers without credentials are admitted. */
  readonly #admitsAnonymous: boolean;
  /** Accepted schemes, in the order of the card. */
  readonly #accepted: readonly OpenScheme[];

  /** @throws TypeError when a requirement names an unknown scheme */
  constructor(card: AgentCard, schemes: ReadonlyMap<string, OpenScheme>, realm: string) {
    const entries = (card.securityRequirements ?? []).map(({ schemes: named = {} }) =>
      Object.entries(named).map(([name, { list: scopes = [] }]): RequiredScheme => {
        const scheme = schemes.get(name);
        if (scheme === undefined) throw new TypeError(`There is no security scheme "${name}"`);
        return { scheme, scopes };
      }),
    );
    const nonEmpty = entries.filter((entry) => entry.length > 0);
    this.#admitsAnonymous = entries.length === 0 || nonEmpty.length < entries.length;
    const all = [...schemes.values()];
    // When anonymous callers are admitted, each scheme is one way to be identified.
    this.#entries = this.#admitsAnonymous
      ? [...nonEmpty, ...all.map((scheme): RequiredScheme[] => [{ scheme, scopes: [] }])]
      : nonEmpty;
    this.#accepted = all.filter((one) =>
      this.#entries.some((entry) => entry.some(({ scheme }) => scheme === one)),
    );
    this.#realm = realm;
    this.challenge = challengeOf(this.#accepted, realm);
  }

  /**
   * Identifies the caller of a request. Without credentials it is the anonymous one, if the card admits anonymous callers.
   * @throws A2AError UNAUTHENTICATED when credentials are missing or invalid, PERMISSION_DENIED when they lack a scope,
   *   both with a challenge that names the accepted schemes (§3.3.2); any error of a verifier
   */
  async authenticate(request: IncomingRequest): Promise<Principal> {
    const check = new RequirementCheck(request);
    for (const required of this.#entries) {
      const proven = await check.meet(required);
      if (proven !== undefined) return principalOf(proven);
    }
    if (this.#admitsAnonymous && !check.failed) return anonymous;
    throw check.refusal(this.#accepted, this.#realm);
  }
}

/** One principal for several identities: together they are a different caller than each of them alone. */
function principalOf(proven: readonly ProvenIdentity[]): Principal {
  const principals = proven.map(({ scheme, identity: { id, scopes, claims } }) =>
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
