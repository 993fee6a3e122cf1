import { ClientError } from "../client/client-error.js";
import { parseUrl } from "../net/url.js";
import { readVersion, UNNAMED_VERSION } from "../versions/version.js";
import type { CheckOptions, CurrentSubject, Findings } from "./check-current.js";
import { EarlierPeer, type EarlierSubject, type EarlierSuite } from "./earlier/earlier-check.js";
import { messageSendSuite } from "./earlier/message-send.js";
import { tasksSendSuite } from "./earlier/tasks-send.js";
import { at, listAt, textAt, type Unchecked } from "./json.js";
import { isWanted, runSteps } from "./run-steps.js";
import { textsFor } from "./scenarios.js";
import { Deviation } from "./verdict.js";

/** The suite of each earlier version. */
export const suites: readonly EarlierSuite[] = [messageSendSuite, tasksSendSuite];

/** Earlier versions that have a suite. */
export const earlierVersions: readonly string[] = suites.map(({ version }) => version);

/** The suite of an earlier version; undefined if there is none. */
export function earlierSuite(version: string | undefined): EarlierSuite | undefined {
  return suites.find((suite) => suite.version === version);
}

/** The earlier version that a card is written in; undefined for a card of the current version. */
export function earlierVersionOf(card: Unchecked): string | undefined {
  if (listAt(card, "supportedInterfaces").length > 0 || textAt(card, "url") === "") return undefined;
  if (textAt(card, "protocolVersion") !== "" || at(card, "securitySchemes") !== undefined)
    return UNNAMED_VERSION;
  return tasksSendSuite.version;
}

/**
 * Checks an agent against an earlier version, over JSON-RPC, and cancels the tasks that are still open at the end.
 * @throws ClientError NO_INTERFACE if the card has no JSON-RPC interface in that version
 */
export async function checkEarlier(
  suite: EarlierSuite,
  { card, source, wire, base }: CurrentSubject,
  { hints = new Map(), only, ...options }: CheckOptions,
): Promise<Findings> {
  const url = jsonRpcUrl(card, suite.version);
  if (url === "" || parseUrl(url, base) === undefined)
    throw new ClientError("NO_INTERFACE", `The card has no JSON-RPC interface in version ${suite.version}`);
  const peer = new EarlierPeer({
    wire,
    url: new URL(url, base).href,
    ...(suite.isNamed && { version: suite.version }),
  });
  const subject: EarlierSubject = {
    ...{ card, wire, peer, ...(source && { source }) },
    texts: (scenario) => textsFor(scenario, hints),
    open: new Set(),
  };
  const steps = suite.checks
    .filter(({ ids }) => isWanted(ids, only))
    .map((check) => ({ check, over: check.over, run: () => check.run(subject) }));
  try {
    return { bindings: ["JSONRPC"], results: await runSteps(steps, wire, options), url: peer.url };
  } finally {
    for (const id of subject.open) await quietly(peer.call("tasks/cancel", { id }));
  }
}

async function quietly(call: Promise<unknown>): Promise<void> {
  await call.catch((thrown: unknown) => {
    if (!(thrown instanceof Deviation)) throw thrown;
  });
}

/** URL of the card's JSON-RPC interface in a version; `""` if it has none. */
function jsonRpcUrl(card: Unchecked, version: string): string {
  const entry = listAt(card, "supportedInterfaces").find(
    (one) =>
      textAt(one, "protocolBinding") === "JSONRPC" && readVersion(textAt(one, "protocolVersion")) === version,
  );
  if (entry !== undefined) return textAt(entry, "url");
  if ((textAt(card, "preferredTransport") || "JSONRPC") === "JSONRPC") return textAt(card, "url");
  const other = listAt(card, "additionalInterfaces").find((one) => textAt(one, "transport") === "JSONRPC");
  return textAt(other, "url");
}
