import { signal } from "@preact/signals";
import type { Client } from "../../../client/client.js";
import { connect } from "../../../client/connect.js";
import type { ConnectOptions } from "../../../client/options.js";
import type { AgentCard, AgentInterface } from "../../../protocol/model.js";
import { decodeCard } from "../../../versions/decode-card.js";
import { noteKeyNames } from "../wire/masked.js";
import { absoluteInterface } from "./absolute-interface.js";
import { agentFetch } from "./agent-fetch.js";
import { agentUrl } from "./agent-url.js";
import { allowedOrigins, credentialOf, forgetCredentials, holdsCredentials } from "./held-credentials.js";
import { pageServer } from "./page-server.js";

/** The agent that the page shows. */
export type CurrentAgent =
  | { readonly status: "none" }
  /** The card is that of the same agent before, when it is opened again. */
  | { readonly status: "opening"; readonly url: string; readonly card: AgentCard | undefined }
  | { readonly status: "open"; readonly url: string; readonly client: Client; readonly card: AgentCard }
  /** Its card may be shown all the same. */
  | {
      readonly status: "failed";
      readonly url: string;
      readonly problem: string;
      /** The card with which it was open before. */
      readonly card: AgentCard | undefined;
    };

/** The agent that the page shows. */
export const currentAgent = signal<CurrentAgent>({ status: "none" });

/** URLs that were opened since the tab was, the newest first. */
export const recentUrls = signal<readonly string[]>(readRecent());

const RECENT = "inspector-recent";
const MOST_RECENT = 8;

function readRecent(): readonly string[] {
  return JSON.parse(globalThis.sessionStorage?.getItem(RECENT) ?? "[]") as string[];
}

function remember(url: string): void {
  recentUrls.value = [url, ...recentUrls.value.filter((other) => other !== url)].slice(0, MOST_RECENT);
  sessionStorage.setItem(RECENT, JSON.stringify(recentUrls.value));
}

/** Opens an agent whose card is at hand: one that is in no place of its own. */
export function openAgentWith(card: object): Promise<void> {
  const [first] = decodeCard(card).supportedInterfaces;
  return first === undefined ? Promise.resolve() : openAgentAt(first.url, card as AgentCard);
}

/**
 * Opens an agent: finds its card, and chooses an interface. Credentials for another agent are forgotten.
 * @param given the card, if it is not to be looked for
 */
export async function openAgentAt(url: string, given?: AgentCard): Promise<void> {
  const before = agentUrl.value === url ? cardOf(currentAgent.value) : undefined;
  if (agentUrl.value !== url) forgetCredentials();
  agentUrl.value = url;
  currentAgent.value = { status: "opening", url, card: before };
  clients.clear();
  try {
    const client = await connect(given ?? url, optionsFor(url));
    noteKeyNames(client.card);
    currentAgent.value = { status: "open", url, client, card: client.card };
    remember(url);
  } catch (error) {
    currentAgent.value = { status: "failed", url, problem: problemOf(error), card: before };
  }
}

function cardOf(agent: CurrentAgent): AgentCard | undefined {
  return "card" in agent ? agent.card : undefined;
}

/** Closes the agent and forgets its credentials. */
export function closeAgent(): void {
  forgetCredentials();
  clients.clear();
  agentUrl.value = undefined;
  currentAgent.value = { status: "none" };
}

/** Text for people about something that failed, with what to do about it where the page knows. */
export function problemOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { message, code } = error as Error & { readonly code?: unknown };
  return code === "UNAUTHENTICATED"
    ? `${message.replace(/\.$/, "")}. Enter what the agent asks for on the screen “Credentials”.`
    : message;
}

const MIB = 1024 * 1024;
/** Bytes of an answer, of an event and of a task: more than a part of 50 MiB, which is a third longer in base64. */
const LIMITS = { answer: 256 * MIB, event: 128 * MIB, task: 256 * MIB };

/**
 * What every client of the page has: nothing is checked or repeated on the page's own account, so that the answers of the agent are seen.
 */
export function optionsFor(agent: string): ConnectOptions {
  const server = pageServer.value;
  const canGrpc = server.status === "ready" && server.session.can.grpc;
  return {
    fetch: agentFetch({ agent }),
    origins: [new URL(agent).origin, ...allowedOrigins.value],
    localChecks: false,
    lenient: true,
    retry: false,
    limits: LIMITS,
    ...(canGrpc && { grpc: {} }),
    ...(holdsCredentials.value && { credentials: credentialOf }),
  };
}

const clients = new Map<string, Promise<Client>>();

/** A client of the agent that calls over one of its interfaces. */
export function clientOver(card: AgentCard, entry: AgentInterface): Promise<Client> {
  const url = agentUrl.value ?? entry.url;
  const key = JSON.stringify([entry, holdsCredentials.value, allowedOrigins.value]);
  const found = clients.get(key);
  if (found !== undefined) return found;
  const made = connect({ ...card, supportedInterfaces: [absoluteInterface(entry, url)] }, optionsFor(url));
  clients.set(key, made);
  made.catch(() => clients.delete(key));
  return made;
}
