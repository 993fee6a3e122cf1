import { cardLocations } from "../client/card/card-locations.js";
import { unavailable } from "../client/card/fetch-card.js";
import { ClientError } from "../client/client-error.js";
import { newestClientVersion } from "../wire/client-codecs.js";
import { readVersion } from "../wire/version.js";
import { type Authorizer, authorizer, type Credentials } from "./authorizer.js";
import type { CardSubject, Check, Subject, Surroundings } from "./check.js";
import { checks } from "./checks.js";
import { HttpJsonPeer } from "./http-json-peer.js";
import { at, type Json, listAt, parsed, textAt } from "./json.js";
import { JsonRpcPeer } from "./json-rpc-peer.js";
import type { CheckedBinding, Peer } from "./peer.js";
import { type CheckResult, type ConformanceReport, summarize } from "./report.js";
import { type Situation, Stage } from "./situations.js";
import { Deviation, Unanswered, Unprovoked } from "./verdict.js";
import { type Received, Wire } from "./wire.js";

/** How an agent is checked. */
export interface ConformanceOptions {
  readonly fetch?: typeof fetch;
  /** Seconds that an answer may take; 10 by default. */
  readonly patience?: number;
  /** For the origin of the card and for `origins`. */
  readonly credentials?: Credentials;
  /** Those of somebody else, whom the caller's tasks are no business of. */
  readonly otherCredentials?: Credentials;
  readonly origins?: readonly string[];
  /** Texts that bring the agent into a situation. */
  readonly hints?: ReadonlyMap<Situation, string>;
  /** Requirements, or groups of them, that are of interest; all by default. */
  readonly only?: readonly string[];
  readonly signal?: AbortSignal;
  /** Told of each check that is done. */
  readonly onResult?: (result: CheckResult, done: number, all: number) => void;
}

const kinds: Readonly<
  Record<CheckedBinding, new (options: ConstructorParameters<typeof JsonRpcPeer>[0]) => Peer>
> = { JSONRPC: JsonRpcPeer, "HTTP+JSON": HttpJsonPeer };
const bindings = Object.keys(kinds) as readonly CheckedBinding[];

/**
 * Holds an agent against the requirements that can be seen from outside, over each binding that its card offers. Tasks that it
 * begins are canceled in the end.
 *
 * @param target URL of the agent or of its card, or the card itself
 * @throws ClientError CARD_UNAVAILABLE when there is no card, UNREACHABLE when there is nobody; the reason of the signal
 */
export async function checkAgent(
  target: URL | object,
  options: ConformanceOptions = {},
): Promise<ConformanceReport> {
  const { patience = 10, signal = new AbortController().signal } = options;
  let authorize: Authorizer = () => undefined;
  const wire = new Wire({
    ...{ fetch: options.fetch ?? fetch, patience, signal },
    authorize: (url, headers, isOther) => authorize(url, headers, isOther),
  });
  const found = target instanceof URL ? await fetchCard(wire, target) : undefined;
  const card = found?.card ?? target;
  const base = found?.source.url;
  authorize = authorizer(card, base, options);
  const peers = bindings.flatMap((binding) => peerFor(binding, card, base, wire) ?? []);
  const surroundings: Surroundings = {
    ...{ card, wire, peers },
    isSecured: isSecured(card),
    hasOther: Object.keys(options.otherCredentials ?? {}).length > 0,
  };
  const results = await runAll({ ...surroundings, ...(found && { source: found.source }) }, options);
  const url = base ?? peers[0]?.url ?? "";
  return summarize(
    {
      agent: { name: textAt(card, "name"), url },
      protocolVersion: newestClientVersion,
      bindings: peers.map(({ binding }) => binding),
    },
    results,
  );
}

async function fetchCard(wire: Wire, target: URL) {
  const headers = { accept: "application/json, application/a2a+json", "a2a-version": newestClientVersion };
  let received: Received | undefined;
  for (const { href: url } of cardLocations(target)) {
    received = await wire.send({ method: "GET", url, headers }).catch((cause: unknown) => {
      if (!(cause instanceof Unanswered)) throw cause;
      throw new ClientError("UNREACHABLE", `${target.origin}: ${cause.message}`, { cause });
    });
    const card = parsed(received.body);
    if (received.status === 200 && typeof card === "object" && card !== null)
      return { card, source: { url, requestHeaders: headers, received } };
  }
  throw unavailable(target, `HTTP ${received?.status ?? "nothing"}`);
}

function peerFor(
  binding: CheckedBinding,
  card: Json,
  base: string | undefined,
  wire: Wire,
): Peer | undefined {
  const entry = listAt(card, "supportedInterfaces").find(
    (one) =>
      textAt(one, "protocolBinding").toUpperCase() === binding &&
      readVersion(textAt(one, "protocolVersion")) === newestClientVersion &&
      URL.canParse(textAt(one, "url"), base),
  );
  if (entry === undefined) return undefined;
  const extensions = listAt(card, "capabilities", "extensions").filter((one) => at(one, "required") === true);
  return new kinds[binding]({
    wire,
    url: new URL(textAt(entry, "url"), base).href,
    version: newestClientVersion,
    tenant: textAt(entry, "tenant"),
    extensions: extensions.map((one) => textAt(one, "uri")),
  });
}

/** Whether the card demands something of every caller. */
function isSecured(card: Json): boolean {
  const entries = listAt(card, "securityRequirements");
  return entries.length > 0 && entries.every((entry) => Object.keys(Object(at(entry, "schemes"))).length > 0);
}

/** A check and what it is done on. */
interface Step {
  readonly check: Check;
  readonly over: CheckResult["over"];
  readonly run: () => Promise<void>;
}

async function runAll(subject: CardSubject, options: ConformanceOptions): Promise<CheckResult[]> {
  const { only, onResult, hints = new Map(), signal } = options;
  const stages = new Map(subject.peers.map((peer) => [peer, new Stage(peer, hints)]));
  const steps = checks
    .filter(({ ids }) => isWanted(ids, only))
    .flatMap((check) => stepsOf(check, subject, stages));
  const results: CheckResult[] = [];
  try {
    for (const step of steps) {
      signal?.throwIfAborted();
      const result = await perform(step, subject.wire);
      results.push(result);
      onResult?.(result, results.length, steps.length);
    }
  } finally {
    for (const stage of stages.values()) await stage.clear();
  }
  return results;
}

function isWanted(ids: readonly string[], only: readonly string[] | undefined): boolean {
  if (only === undefined || only.length === 0) return true;
  return ids.some((id) => only.some((one) => id === one || id.replace(/-\d+$/, "") === one));
}

function stepsOf(check: Check, subject: CardSubject, stages: ReadonlyMap<Peer, Stage>): Step[] {
  if (check.over === "card") return [{ check, over: "card", run: () => check.run(subject) }];
  const wanted = check.over === undefined ? bindings : [check.over];
  return wanted.map((over): Step => {
    const [peer, stage] = [...stages].find(([{ binding }]) => binding === over) ?? [];
    if (peer === undefined || stage === undefined) {
      const run = () =>
        Promise.reject(new Unprovoked(`the card offers no ${over} interface in this version`));
      return { check, over, run };
    }
    const whole: Subject = { ...subject, peer, stage };
    return { check, over, run: () => check.run(whole) };
  });
}

async function perform({ check: { ids, claim }, over, run }: Step, wire: Wire): Promise<CheckResult> {
  wire.take();
  const facts = { ids, claim, over };
  try {
    await run();
    return { ...facts, verdict: "met", exchanges: wire.take() };
  } catch (thrown) {
    if (!(thrown instanceof Deviation || thrown instanceof Unprovoked)) throw thrown;
    const verdict = thrown instanceof Unprovoked ? "unprovoked" : "violated";
    return { ...facts, verdict, found: thrown.message, exchanges: wire.take() };
  }
}
