import type { GrpcConnectOptions } from "../client/transports/grpc/grpc-options.js";
import { grpcUrl } from "../client/transports/grpc/grpc-url.js";
import { parseUrl } from "../net/url.js";
import type { BindingName } from "../protocol/operations.js";
import { countsGenerations, newestClientVersion } from "../versions/client-codecs.js";
import { readVersion } from "../versions/version.js";
import type { CardSubject, Check, Subject } from "./check.js";
import { generationChecks } from "./checks/generations.js";
import { checks } from "./checks.js";
import { GrpcPeer } from "./grpc-peer.js";
import { HttpJsonPeer } from "./http-json-peer.js";
import { at, listAt, textAt, type Unchecked } from "./json.js";
import { JsonRpcPeer, type PeerOptions } from "./json-rpc-peer.js";
import type { Peer } from "./peer.js";
import type { CheckResult } from "./report.js";
import { isWanted, type RunOptions, runSteps, type Step } from "./run-steps.js";
import { type Scenario, ScenarioRunner } from "./scenarios.js";
import { Inconclusive } from "./verdict.js";
import type { Wire } from "./wire.js";

/** How the agent is reached over each binding. */
const openers: Readonly<
  Record<BindingName, (options: PeerOptions, found: CurrentSubject) => Peer | Promise<Peer>>
> = {
  JSONRPC: (options) => new JsonRpcPeer(options),
  "HTTP+JSON": (options) => new HttpJsonPeer(options),
  GRPC: (options, { grpc }) => GrpcPeer.open(options, grpc),
};
const bindings = Object.keys(openers) as readonly BindingName[];

/** What is known about an agent before its first call. */
export interface CurrentSubject extends Pick<CardSubject, "card" | "source" | "hasOther"> {
  readonly wire: Wire;
  /** URL of the card; undefined for a card that was passed as a value. */
  readonly base: string | undefined;
  readonly version: string;
  /** Options of gRPC connections. */
  readonly grpc: GrpcConnectOptions | undefined;
}

/** The results of the checks, and the bindings that were checked. */
export interface Findings {
  readonly bindings: readonly BindingName[];
  readonly results: readonly CheckResult[];
  /** URL of the first checked interface; `""` if there is none. */
  readonly url: string;
}

/** Options of a run. */
export interface CheckOptions extends RunOptions {
  readonly hints?: ReadonlyMap<Scenario, string>;
  readonly only?: readonly string[];
}

/** The newest version that a card offers within the current major version. A released version takes precedence over its draft. */
export function offeredVersion(card: Unchecked): string {
  const [major] = newestClientVersion.split(".");
  const offered = listAt(card, "supportedInterfaces")
    .map((entry) => readVersion(textAt(entry, "protocolVersion")) ?? "")
    .filter((version) => version.split(".")[0] === major)
    .sort((a, b) => a.localeCompare(b, "en", { numeric: true }));
  const newest = offered.at(-1) ?? newestClientVersion;
  return offered.find((version) => newest === `${version}-draft`) ?? newest;
}

/** Checks an agent against the current protocol, and cancels the tasks that are still open at the end. */
export async function checkCurrent(found: CurrentSubject, options: CheckOptions): Promise<Findings> {
  const { wire, card, hasOther, source } = found;
  const missing = new Map<BindingName, string>();
  const peers: Peer[] = [];
  for (const binding of bindings) {
    const peer = await peerFor(binding, found);
    if (typeof peer === "string") missing.set(binding, peer);
    else peers.push(peer);
  }
  // Most agents have no gRPC. Their reports leave it out.
  if (!offers(card, "GRPC")) missing.delete("GRPC");
  const deps = { card, wire, peers, isSecured: isSecured(card), hasOther };
  const subject: CardSubject = { ...deps, ...(source && { source }) };
  const runners = new Map(peers.map((peer) => [peer, new ScenarioRunner(peer, options.hints ?? new Map())]));
  const isCounted = countsGenerations(found.version);
  const steps = checks
    .filter(({ ids }) => isWanted(ids, options.only))
    // Only agents of the draft have generations. The reports of others leave them out.
    .filter((check) => isCounted || !generationChecks.some((one) => one === check))
    .flatMap((check) => stepsOf(check, subject, { runners, missing }));
  try {
    const results = await runSteps(steps, wire, options);
    return { bindings: peers.map(({ binding }) => binding), results, url: peers[0]?.url ?? "" };
  } finally {
    for (const scenarios of runners.values()) await scenarios.clear();
  }
}

function offers(card: Unchecked, binding: BindingName): boolean {
  return listAt(card, "supportedInterfaces").some((one) => isOver(one, binding));
}

function isOver(entry: Unchecked, binding: BindingName): boolean {
  return textAt(entry, "protocolBinding").toUpperCase() === binding;
}

/** The agent over a binding; if it cannot be called over it, the reason as a string. */
async function peerFor(binding: BindingName, found: CurrentSubject): Promise<Peer | string> {
  const { card, base, wire, version, grpc } = found;
  const urlOf = (text: string): URL | undefined => {
    if (binding === "GRPC") return grpcUrl(text, { tls: grpc?.tls, base: parseUrl(base ?? "") });
    return parseUrl(text, base) && new URL(text, base);
  };
  const entry = listAt(card, "supportedInterfaces").find(
    (one) =>
      isOver(one, binding) &&
      readVersion(textAt(one, "protocolVersion")) === version &&
      urlOf(textAt(one, "url")) !== undefined,
  );
  if (entry === undefined) return `the card offers no ${binding} interface in this version`;
  const extensions = listAt(card, "capabilities", "extensions").filter((one) => at(one, "required") === true);
  const options = {
    wire,
    url: urlOf(textAt(entry, "url"))?.href ?? "",
    version,
    tenant: textAt(entry, "tenant"),
    extensions: extensions.map((one) => textAt(one, "uri")),
  };
  try {
    return await openers[binding](options, found);
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

/** Whether the card requires credentials from every caller. */
function isSecured(card: Unchecked): boolean {
  const entries = listAt(card, "securityRequirements");
  return entries.length > 0 && entries.every((entry) => Object.keys(Object(at(entry, "schemes"))).length > 0);
}

interface Reached {
  readonly runners: ReadonlyMap<Peer, ScenarioRunner>;
  /** Why the agent is not checked over a binding. */
  readonly missing: ReadonlyMap<BindingName, string>;
}

function stepsOf(check: Check, subject: CardSubject, { runners, missing }: Reached): Step[] {
  if (check.over === "card") return [{ check, over: "card", run: () => check.run(subject) }];
  const reached = [...runners];
  const known = bindings.filter((one) => missing.has(one) || reached.some(([peer]) => peer.binding === one));
  const wanted = check.over === undefined ? known : [check.over];
  return wanted.map((over): Step => {
    const [peer, scenarios] = reached.find(([{ binding }]) => binding === over) ?? [];
    if (peer === undefined || scenarios === undefined) {
      return { check, over, run: () => Promise.reject(new Inconclusive(missing.get(over) ?? "")) };
    }
    const whole: Subject = { ...subject, peer, scenarios };
    return { check, over, run: () => check.run(whole) };
  });
}
