import { Agent } from "node:http";
import { Agent as SecureAgent } from "node:https";
import { systemClock } from "../async/clock.js";
import { isLoopback, parseUrl } from "../net/url.js";
import { checkUrl } from "../push/url-guard/check-url.js";
import type { ConnectionParameters } from "../push/url-guard/exchange.js";
import { lookupBy } from "../push/url-guard/node-connections.js";
import { UrlGuard } from "../push/url-guard/url-guard.js";

/** What may be called, and with which certificates. */
export interface AgentGuardOptions {
  /** Agent that the command line has named. If it is on this machine, it may be called, with all that it has there. */
  readonly named: URL | undefined;
  /** Allows this machine and private networks for all agents. */
  readonly allowPrivate: boolean;
  readonly ca?: string | undefined;
  readonly certificate?: { readonly cert: string; readonly key: string } | undefined;
}

/** A URL that is called, and the agent for which. */
export interface Target {
  readonly url: string;
  /** URL of the agent that the person has opened. */
  readonly agent: string;
}

/**
 * Decides which URLs the inspector calls. A card can name any URL, so an agent elsewhere must not lead the inspector to this machine or a
 * private network.
 */
export class AgentGuard {
  readonly #options: AgentGuardOptions;
  readonly #anywhere: UrlGuard;
  readonly #public: UrlGuard;
  readonly #agents = {
    "http:": new Agent({ keepAlive: true }),
    "https:": new SecureAgent({ keepAlive: true }),
  };

  constructor(options: AgentGuardOptions) {
    const { ca, certificate } = options;
    this.#options = options;
    this.#public = new UrlGuard({ allowHttp: true, ca, certificate });
    this.#anywhere = new UrlGuard({ allowHttp: true, allowPrivateNetworks: true, ca, certificate });
  }

  /** Whether servers that ask for a client certificate get one. */
  get hasCertificate(): boolean {
    return this.#options.certificate !== undefined;
  }

  /**
   * Checks the text of a URL, and says how it is connected to. Its addresses are checked when the connection is made.
   * @throws UrlRefused
   */
  connectionTo(target: Target): ConnectionParameters {
    const { ca, certificate } = this.#options;
    const isFree = this.#isFree(target);
    const url = checkUrl(target.url, { allowHttp: true, allowPrivateNetworks: isFree });
    const agent = this.#agents[url.protocol === "https:" ? "https:" : "http:"];
    const guard = isFree ? this.#anywhere : this.#public;
    const lookup = lookupBy(() => guard.addressesOf(url.href));
    return { url, agent, lookup, ca, certificate, clock: systemClock };
  }

  /** A `fetch` for calls on behalf of an agent. Redirects are not followed. */
  fetchFor(agent: string): typeof fetch {
    return (input, init) => {
      const url = input instanceof Request ? input.url : String(input);
      const guard = this.#isFree({ url, agent }) ? this.#anywhere : this.#public;
      return guard.fetch(input, init);
    };
  }

  /** Closes all connections. */
  close(): void {
    for (const agent of Object.values(this.#agents)) agent.destroy();
    this.#public.close();
    this.#anywhere.close();
  }

  /** Whether a URL may lead to this machine or a private network. */
  #isFree(target: Target): boolean {
    const { named, allowPrivate } = this.#options;
    if (allowPrivate) return true;
    if (named === undefined || !isLoopback(named.hostname)) return false;
    return (
      parseUrl(target.agent)?.origin === named.origin && isLoopback(parseUrl(target.url)?.hostname ?? "")
    );
  }
}
