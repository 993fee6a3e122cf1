import { authorizationCode } from "../client/auth/authorization-code.js";
import { clientCredentials } from "../client/auth/client-credentials.js";
import type { CredentialNeed, CredentialProvider } from "../client/auth/credentials.js";
import { type DevicePrompt, deviceCode } from "../client/auth/device-code.js";
import { endpoint } from "../client/auth/issuer-endpoint.js";
import { issuerEndpoints } from "../client/auth/issuer-metadata.js";
import type { TokenStore } from "../client/auth/oauth-token.js";
import { loopbackRedirect } from "../loopback/loopback-redirect.js";
import type { AgentCard, OAuthFlows, SecurityScheme } from "../protocol/model.js";
import { Failure, usage } from "./failure.js";

/** Flows that a command line can run. The issuer sends the authorization code to a port of this machine. */
export const flows = ["device-code", "authorization-code", "client-credentials"] as const;

/** One of the {@link flows}. */
export type Flow = (typeof flows)[number];

/** A login that an agent's card offers and a command line can perform. */
export interface LoginMethod {
  readonly name: string;
  readonly scheme: SecurityScheme;
  readonly flow: Flow;
  /** Scopes that the card requires with this scheme. */
  readonly scopes: readonly string[];
}

/** The member of a card's flows in which each flow is declared. */
const members = {
  "device-code": "deviceCode",
  "authorization-code": "authorizationCode",
  "client-credentials": "clientCredentials",
} as const satisfies Readonly<Record<Flow, keyof OAuthFlows>>;

/** Endpoints of a login. A flow needs only some of them. */
interface Endpoints {
  readonly tokenUrl: string;
  readonly refreshUrl: string;
  readonly deviceAuthorizationUrl: string;
  readonly authorizationUrl: string;
}

/** The user's choice among the login methods of a card. */
export interface LoginChoice {
  readonly scheme: string | undefined;
  readonly flow: string | undefined;
  /** Whether a client secret is given, so that the client can log in as itself. */
  readonly hasSecret: boolean;
}

/**
 * Chooses one of the login methods that the card offers and the user's choice permits. With a secret the client logs in as itself.
 * Otherwise a person signs in, by device code if the card offers it, because that works without a browser on this machine.
 * @throws Failure when there is none
 */
export function chooseLoginMethod(card: AgentCard, choice: LoginChoice): LoginMethod {
  const { flow, scheme: name, hasSecret } = choice;
  if (flow !== undefined && !flows.some((one) => one === flow))
    throw usage(`--flow takes ${flows.join(" or ")}`);
  const all = loginMethodsOf(card).filter((one) => name === undefined || one.name === name);
  const fitting = all.filter((one) => flow === undefined || one.flow === flow);
  const preferred = hasSecret ? "client-credentials" : "device-code";
  const found = fitting.find((one) => one.flow === preferred) ?? fitting[0];
  if (found !== undefined) return found;
  const asked = [name && `scheme "${name}"`, flow].filter(Boolean).join(", ");
  throw new Failure(
    "A2ACLI_ERR_AUTH_FAILED",
    `The card offers no login${asked && ` by ${asked}`} that a command line can perform`,
    {
      hint: "`parley card get` shows what the agent accepts; if you have a key or token, set A2ACLI_API_KEY or A2ACLI_BEARER",
    },
  );
}

/** The login methods of a card. An OAuth scheme names its flows. An OpenID Connect scheme leaves them to the issuer, so each is possible. */
function loginMethodsOf({ securitySchemes = {}, securityRequirements = [] }: AgentCard): LoginMethod[] {
  return Object.entries(securitySchemes).flatMap(([name, scheme]) => {
    const offered: Partial<OAuthFlows> = scheme.oauth2SecurityScheme?.flows ?? {};
    const isOpenId = scheme.openIdConnectSecurityScheme !== undefined;
    const needed = securityRequirements.map(({ schemes }) => schemes?.[name]?.list ?? []);
    const scopes = [...new Set(needed.flat())];
    const possible = flows.filter((flow) => isOpenId || offered[members[flow]]);
    return possible.map((flow) => ({ name, scheme, flow, scopes }));
  });
}

/** The client that logs in, and how its user is asked to authorize it. */
export interface LoginOptions {
  readonly clientId: string;
  readonly clientSecret: string | undefined;
  readonly scopes: readonly string[];
  /** Tells the user where to enter the device code. */
  readonly prompt: (prompt: DevicePrompt) => void;
  /** Shows the issuer's login page to the user. */
  readonly open: (page: URL) => void;
  /** Port for the redirect of the authorization code; any free one by default. */
  readonly redirectPort: number | undefined;
  readonly tokenStore: TokenStore;
}

/**
 * Runs the flow, which stores the token in `tokenStore`.
 * @returns the URL at which the token can be refreshed
 * @throws ClientError as the flows do, such as ORIGIN_NOT_ALLOWED for an endpoint on an origin that is not allowed; Failure for a
 *   flow that needs a secret without one
 */
export async function logIn(
  { flow }: LoginMethod,
  need: CredentialNeed,
  { clientSecret, ...options }: LoginOptions,
): Promise<string> {
  const endpoints = await endpointsOf(need, flow);
  const identity = { ...options, ...(clientSecret !== undefined && { clientSecret }) };
  await provider(flow, identity, endpoints)(need);
  return endpoints.refreshUrl;
}

type Identity = Omit<LoginOptions, "clientSecret"> & { readonly clientSecret?: string };

function provider(flow: Flow, identity: Identity, endpoints: Endpoints): CredentialProvider {
  if (flow === "device-code") return deviceCode({ ...identity, ...endpoints });
  if (flow === "authorization-code") {
    const { open, redirectPort: port } = identity;
    return authorizationCode({ ...identity, ...endpoints, redirect: () => loopbackRedirect({ open, port }) });
  }
  const { clientSecret } = identity;
  if (clientSecret === undefined)
    throw usage("This login needs the client's secret", "A2ACLI_CLIENT_SECRET, or --client-secret");
  return clientCredentials({ ...identity, clientSecret, tokenUrl: endpoints.tokenUrl });
}

/** The endpoints in the card or of its issuer. @throws ClientError ORIGIN_NOT_ALLOWED for an origin that is not allowed */
async function endpointsOf(need: CredentialNeed, flow: Flow): Promise<Endpoints> {
  const { oauth2SecurityScheme: oauth, openIdConnectSecurityScheme: openId } = need.scheme;
  const named: NamedEndpoints =
    openId === undefined
      ? { ...oauth?.flows[members[flow]] }
      : await issuerEndpoints(endpoint(undefined, openId.openIdConnectUrl, need), need);
  const allowed = (text: unknown) => endpoint(undefined, typeof text === "string" ? text : "", need).href;
  const tokenUrl = allowed(named.tokenUrl);
  return {
    tokenUrl,
    refreshUrl: named.refreshUrl ? allowed(named.refreshUrl) : tokenUrl,
    deviceAuthorizationUrl: flow === "device-code" ? allowed(named.deviceAuthorizationUrl) : "",
    authorizationUrl: flow === "authorization-code" ? allowed(named.authorizationUrl) : "",
  };
}

/** Endpoints in a card or in the metadata of an issuer, which may be of any type. */
type NamedEndpoints = { readonly [name in keyof Endpoints]?: unknown };
