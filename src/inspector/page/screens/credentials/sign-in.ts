import { signal } from "@preact/signals";
import type { AuthorizationRedirect } from "../../../../client/auth/authorization-code.js";
import type { CredentialProvider } from "../../../../client/auth/credentials.js";
import type { DevicePrompt } from "../../../../client/auth/device-code.js";
import type { SecurityScheme } from "../../../../protocol/model.js";
import { safeLink } from "../../components/markdown.js";
import { agentFetch } from "../../session/agent-fetch.js";
import { agentUrl } from "../../session/agent-url.js";
import { onServerEvent, pageServer } from "../../session/page-server.js";

/** What a person has to do at an issuer of tokens. */
export type SignInStep =
  | { readonly kind: "device"; readonly prompt: DevicePrompt }
  | { readonly kind: "browser"; readonly page: string };

/** The step that waits for the person. */
export const signInStep = signal<SignInStep | undefined>(undefined);

/** The redirect URI of this launch; undefined when the page is mounted in a server. */
export function redirectUri(): string | undefined {
  const server = pageServer.value;
  return server.status === "ready" ? server.session.redirectUri : undefined;
}

/**
 * Shows the issuer's page in a new window, and waits until the local server has its redirect.
 * @throws Error when the page is mounted in a server, or the address is no page
 */
export function browserRedirect(): AuthorizationRedirect {
  const uri = redirectUri();
  if (uri === undefined) throw new Error("Signing in with a browser needs “parley inspect”");
  return { uri, open: waitForRedirect };
}

async function waitForRedirect(page: URL, cancel: AbortSignal): Promise<string> {
  const server = pageServer.value;
  const address = safeLink(page.href);
  if (server.status !== "ready" || address === undefined || page.protocol === "mailto:")
    throw new Error(`This is not the URL of a page: ${page.href}`);
  const state = page.searchParams.get("state") ?? "";
  await server.connection?.request("POST", "redirects", { state });
  signInStep.value = { kind: "browser", page: address };
  window.open(address, "_blank", "noopener,noreferrer");
  return new Promise((resolve, reject) => {
    const stop = onServerEvent((event) => {
      if (event.type !== "redirected" || event.state !== state) return;
      stop();
      resolve(event.url);
    });
    cancel.addEventListener("abort", () => {
      stop();
      reject(cancel.reason);
    });
  });
}

/** Which scheme is signed in to. */
export interface SignIn {
  readonly name: string;
  readonly scheme: SecurityScheme;
  readonly scopes: readonly string[];
  readonly provide: CredentialProvider;
  readonly cancel: AbortSignal;
}

/**
 * Gets a credential now instead of with the first call.
 * @throws ClientError when the issuer refuses
 */
export async function signInNow({ provide, cancel, ...need }: SignIn): Promise<void> {
  const agent = agentUrl.value ?? "";
  try {
    const found = await provide({
      ...need,
      fetch: agentFetch({ agent }),
      allows: () => false,
      signal: cancel,
    });
    if (found === undefined) throw new Error("The issuer gave nothing");
  } finally {
    signInStep.value = undefined;
  }
}
