import type { AgentCard, SecurityScheme } from "../../protocol/model.js";
import { ClientError } from "../client-error.js";
import type { Fetch } from "../exchange.js";
import type { CredentialNeed, Credentials } from "./credentials.js";
import { type CredentialTarget, placeCredential } from "./place-credential.js";
import { SingleFlight } from "./single-flight.js";

/** What a {@link ClientAuthenticator} works with. */
export interface AuthenticatorOptions {
  readonly credentials: Credentials;
  /** The current card. */
  readonly card: () => AgentCard;
  readonly fetch: Fetch;
  /** Whether credentials may be sent to a URL (§13.4). */
  readonly allows: (url: URL) => boolean;
  /** Whether every interface that the client uses can send the credentials of an alternative; undefined if all credentials can be sent. */
  readonly isSendable?: ((alternative: Alternative, card: AgentCard) => boolean) | undefined;
}

/** A security scheme, and the credential for it. */
interface SchemeCredential {
  readonly name: string;
  readonly scheme: SecurityScheme;
  readonly value: string;
}

/** The credentials of one call. */
export interface CredentialGrant {
  readonly held: readonly SchemeCredential[];
  /** Number of renewals that have ended, failed ones included. A refused grant is renewed only while its number is current. */
  readonly epoch: number;
}

/**
 * One alternative of the security requirements: schemes that are needed together, with their scopes (proto
 * SecurityRequirement).
 */
export type Alternative = readonly { readonly name: string; readonly scopes: readonly string[] }[];

/** Gets credentials for calls from the option `credentials`, according to the security schemes and requirements of the card (§7.3). */
export class ClientAuthenticator {
  readonly #options: AuthenticatorOptions;
  #epoch = 0;
  readonly #renewal = new SingleFlight<readonly SchemeCredential[]>();

  constructor(options: AuthenticatorOptions) {
    this.#options = options;
  }

  /**
   * Credentials for a call. If they are being renewed, waits for the new ones.
   * @throws ClientError CREDENTIALS_MISSING when each alternative lacks a credential or a known scheme, or cannot be sent; what a
   * provider throws; the reason of the signal
   */
  async grant(signal: AbortSignal): Promise<CredentialGrant> {
    const held = this.#renewal.isRunning ? await this.#renew([], signal) : await this.#obtain(signal, []);
    return { held, epoch: this.#epoch };
  }

  /**
   * New credentials to replace refused ones. Requests that were refused together share one renewal.
   * @returns undefined when they are the same as those that were refused
   * @throws the errors of {@link grant}
   */
  async renew(refused: CredentialGrant, signal: AbortSignal): Promise<CredentialGrant | undefined> {
    const isCurrent = refused.epoch === this.#epoch;
    const held = isCurrent ? await this.#renew(refused.held, signal) : (await this.grant(signal)).held;
    return isSame(held, refused.held) ? undefined : { held, epoch: this.#epoch };
  }

  /**
   * Adds the credentials to a request.
   * @throws the errors of {@link placeCredential}
   */
  apply({ held }: CredentialGrant, request: CredentialTarget): void {
    for (const { scheme, value } of held) placeCredential(scheme, value, request);
  }

  #renew(refused: readonly SchemeCredential[], signal: AbortSignal): Promise<readonly SchemeCredential[]> {
    return this.#renewal.join(signal, async (shared) => {
      try {
        return await this.#obtain(shared, refused);
      } finally {
        this.#epoch += 1;
      }
    });
  }

  async #obtain(
    signal: AbortSignal,
    rejected: readonly SchemeCredential[],
  ): Promise<readonly SchemeCredential[]> {
    const { card, isSendable } = this.#options;
    const alternatives = alternativesOf(card());
    for (const alternative of alternatives) {
      if (isSendable?.(alternative, card()) === false) continue;
      const held = await this.#satisfy(alternative, rejected, signal);
      if (held !== undefined) return held;
    }
    if (alternatives.length === 0) return [];
    const wanted = alternatives.map((one) => one.map(({ name }) => `"${name}"`).join(" with ")).join(", or ");
    throw new ClientError(
      "CREDENTIALS_MISSING",
      `The agent requires credentials for ${wanted}. A usable credential has a value in the option "credentials" and a known scheme in the card, and every interface that the client uses can send it`,
    );
  }

  async #satisfy(
    alternative: Alternative,
    rejected: readonly SchemeCredential[],
    signal: AbortSignal,
  ): Promise<readonly SchemeCredential[] | undefined> {
    const { card, credentials, fetch, allows } = this.#options;
    const schemes = card().securitySchemes ?? {};
    const held: SchemeCredential[] = [];
    for (const { name, scopes } of alternative) {
      const scheme = Object.hasOwn(schemes, name) ? schemes[name] : undefined;
      if (scheme === undefined) return undefined;
      const before = rejected.find((one) => one.name === name)?.value;
      const need = { name, scheme, scopes, fetch, allows, signal };
      const value = await valueFor(credentials, before === undefined ? need : { ...need, rejected: before });
      // A program without types may pass or return null.
      if (typeof value !== "string") return undefined;
      held.push({ name, scheme, value });
    }
    return held;
  }
}

/**
 * The alternatives of a card, those with credentials before anonymous access (§4.5.1). For a card with schemes but no requirements: each
 * scheme by itself, then anonymous access.
 */
export function alternativesOf({
  securityRequirements = [],
  securitySchemes = {},
}: AgentCard): readonly Alternative[] {
  if (securityRequirements.length === 0) {
    const names = Object.keys(securitySchemes);
    return names.length === 0 ? [] : [...names.map((name) => [{ name, scopes: [] }]), []];
  }
  const alternatives = securityRequirements.map(({ schemes = {} }) =>
    Object.entries(schemes).map(([name, { list = [] }]) => ({ name, scopes: list })),
  );
  return [...alternatives.filter((one) => one.length > 0), ...alternatives.filter((one) => one.length === 0)];
}

function isSame(one: readonly SchemeCredential[], other: readonly SchemeCredential[]): boolean {
  return (
    one.length === other.length &&
    one.every(({ name, value }, index) => name === other[index]?.name && value === other[index]?.value)
  );
}

/** The credential for one scheme. A provider that does not settle is abandoned when the signal aborts. */
async function valueFor(credentials: Credentials, need: CredentialNeed): Promise<string | undefined> {
  const { name, signal } = need;
  const isProvider = typeof credentials === "function";
  const given = isProvider ? credentials : Object.hasOwn(credentials, name) ? credentials[name] : undefined;
  if (typeof given !== "function") return given;
  return new SingleFlight<string | undefined>().join(signal, async () => given(need));
}
