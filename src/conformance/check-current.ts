import { parseUrl } from "../net/parse-url.js";
import type { BindingName } from "../protocol/operations.js";
import { newestClientVersion } from "../versions/client-codecs.js";
import { readVersion } from "../versions/version.js";
import type { CardSubject, Check, Subject } from "./check.js";
import { checks } from "./checks.js";
import { HttpJsonPeer } from "./http-json-peer.js";
import { at, listAt, textAt, type Unchecked } from "./json.js";
import { JsonRpcPeer } from "./json-rpc-peer.js";
import type { Peer } from "./peer.js";
import type { CheckResult } from "./report.js";
import { isWanted, type RunOptions, runSteps, type Step } from "./run-steps.js";
import { type Scenario, ScenarioRunner } from "./scenarios.js";
import { Inconclusive } from "./verdict.js";
import type { Wire } from "./wire.js";

/** The bindings that are checked. */
type CheckedBinding = Exclude<BindingName, "GRPC">;

const kinds: Readonly<
  Record<CheckedBinding, new (options: ConstructorParameters<typeof JsonRpcPeer>[0]) => Peer>
> = { JSONRPC: JsonRpcPeer, "HTTP+JSON": HttpJsonPeer };
const bindings = Object.keys(kinds) as readonly CheckedBinding[];

/** What is known about an agent before its first call. */
export interface CurrentSubject extends Pick<CardSubject, "card" | "source" | "hasOther"> {
  readonly wire: Wire;
  /** URL of the card; undefined for a card that was passed as a value. */
  readonly base: string | undefined;
  readonly version: string;
}

/** The results of the checks, and the bindings that were checked. */
export interface Findings {
  readonly bindings: readonly BindingName[];
  readonly results: readonly CheckResult[];
  /** URL of the checked interface. */
  readonly url: string;
}

/** Options of a run. */
export interface CheckOptions extends RunOptions {
  readonly hints?: ReadonlyMap<Scenario, string>;
  readonly only?: readonly string[];
}

/** The newest version that a card offers within the current major version. */
export function offeredVersion(card: Unchecked): string {
  const [major] = newestClientVersion.split(".");
  const offered = listAt(card, "supportedInterfaces")
    .map((entry) => readVersion(textAt(entry, "protocolVersion")) ?? "")
    .filter((version) => version.split(".")[0] === major)
    .sort((a, b) => a.localeCompare(b, "en", { numeric: true }));
  return offered.at(-1) ?? newestClientVersion;
}

/** Checks an agent against the current protocol. At the end it cancels the tasks that it began. */
export async function checkCurrent(found: CurrentSubject, options: CheckOptions): Promise<Findings> {
  const { wire, card, hasOther, source } = found;
  const peers = bindings.flatMap((binding) => peerFor(binding, found) ?? []);
  const deps = { card, wire, peers, isSecured: isSecured(card), hasOther };
  const subject: CardSubject = { ...deps, ...(source && { source }) };
  const stages = new Map(peers.map((peer) => [peer, new ScenarioRunner(peer, options.hints ?? new Map())]));
  const steps = checks
    .filter(({ ids }) => isWanted(ids, options.only))
    .flatMap((check) => stepsOf(check, subject, stages));
  try {
    const results = await runSteps(steps, wire, options);
    return { bindings: peers.map(({ binding }) => binding), results, url: peers[0]?.url ?? "" };
  } finally {
    for (const stage of stages.values()) await stage.clear();
  }
}

function peerFor(binding: CheckedBinding, { card, base, wire, version }: CurrentSubject): Peer | undefined {
  const entry = listAt(card, "supportedInterfaces").find(
    (one) =>
      textAt(one, "protocolBinding").toUpperCase() === binding &&
      readVersion(textAt(one, "protocolVersion")) === version &&
      parseUrl(textAt(one, "url"), base) !== undefined,
  );
  if (entry === undefined) return undefined;
  const extensions = listAt(card, "capabilities", "extensions").filter((one) => at(one, "required") === true);
  return new kinds[binding]({
    wire,
    url: new URL(textAt(entry, "url"), base).href,
    version,
    tenant: textAt(entry, "tenant"),
    extensions: extensions.map((one) => textAt(one, "uri")),
  });
}

/** Whether the card requires credentials of every caller. */
function isSecured(card: Unchecked): boolean {
  const entries = listAt(card, "securityRequirements");
  return entries.length > 0 && entries.every((entry) => Object.keys(Object(at(entry, "schemes"))).length > 0);
}

function stepsOf(check: Check, subject: CardSubject, stages: ReadonlyMap<Peer, ScenarioRunner>): Step[] {
  if (check.over === "card") return [{ check, over: "card", run: () => check.run(subject) }];
  const wanted = check.over === undefined ? bindings : [check.over];
  return wanted.map((over): Step => {
    const [peer, stage] = [...stages].find(([{ binding }]) => binding === over) ?? [];
    if (peer === undefined || stage === undefined) {
      const run = () =>
        Promise.reject(new Inconclusive(`the card offers no ${over} interface in this version`));
      return { check, over, run };
    }
    const whole: Subject = { ...subject, peer, stage };
    return { check, over, run: () => check.run(whole) };
  });
}
