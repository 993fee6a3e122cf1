import { signal } from "@preact/signals";
import type { Session } from "../../api.js";
import { InspectorConnection } from "../../connection.js";
import type { InspectorEvent } from "../../events.js";
import { TOKEN_HEADER } from "../../frames.js";

/** The server of this page. */
export type PageServer =
  | { readonly status: "starting" }
  | { readonly status: "failed"; readonly problem: string }
  | {
      readonly status: "ready";
      readonly session: Session;
      readonly connection: InspectorConnection | undefined;
    };

/** The server that this page was loaded from. */
export const pageServer = signal<PageServer>({ status: "starting" });

const listeners = new Set<(event: InspectorEvent) => void>();

/**
 * Listens to the events of the server: webhooks, logins, checks.
 * @returns ends it
 */
export function onServerEvent(listener: (event: InspectorEvent) => void): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}

/** Where the token of the launch stays while this tab is reloaded. */
const TOKEN = "inspector-token";

/** Takes the token of the launch from the fragment of the URL, and removes it there: it must not be copied with the URL. */
function takeToken(): string {
  const fragment = location.hash.slice(1);
  if (fragment === "" || fragment.startsWith("/")) return sessionStorage.getItem(TOKEN) ?? "";
  const token = new URLSearchParams(fragment).get("token") ?? fragment;
  sessionStorage.setItem(TOKEN, token);
  history.replaceState(null, "", `${location.pathname}${location.search}#/`);
  return token;
}

/** Asks the server what the page can do here, and opens its events. */
export async function startPage(): Promise<void> {
  const token = takeToken();
  try {
    const session = await sessionOf(token);
    const connection = session.mode === "local" ? await openEvents(token) : undefined;
    pageServer.value = { status: "ready", session, connection };
  } catch (error) {
    pageServer.value = { status: "failed", problem: error instanceof Error ? error.message : String(error) };
  }
}

async function sessionOf(token: string): Promise<Session> {
  const response = await fetch(new URL("api/session", location.href), { headers: { [TOKEN_HEADER]: token } });
  if (response.ok) return (await response.json()) as Session;
  const { message } = (await response.json().catch(() => ({}))) as { message?: string };
  throw new Error(message ?? `The server of this page answered with status ${response.status}`);
}

function openEvents(token: string): Promise<InspectorConnection> {
  return InspectorConnection.open({
    base: new URL("./", location.href),
    token,
    onEvent: (event) => {
      for (const listener of listeners) listener(event);
    },
    onClosed: () => {
      pageServer.value = { status: "failed", problem: "“parley inspect” has ended. Start it again." };
    },
  });
}
