import { anonymous, type Principal } from "../call.js";
import type { IncomingRequest } from "../incoming-request.js";
import type { AgentCard } from "../model.js";
import { Attempt, type Demand, type Vouched } from "./attempt.js";
import { challengeOf } from "./challenge.js";
import type { OpenScheme } from "./open-schemes.js";

/**
 * Finds out who sends a request, as the card's `securityRequirements` say: one entry must be satisfied, and for that all of
 * its schemes, each with its scopes (CARD-16). An empty entry, or no entry at all, lets everybody in: those with valid
 * credentials under their name, the others as the anonymous principal (CARD-17). Credentials that do not hold are refused
 * there, too (AUTHN-04).
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
   * both with a challenge that names the accepted schemes (ERR-17); whatever a verifier throws
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
