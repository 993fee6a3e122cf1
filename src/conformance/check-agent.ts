import { ClientError } from "../client/client-error.js";
import type { GrpcConnectOptions } from "../client/transports/grpc/grpc-options.js";
import { newestClientVersion } from "../versions/client-codecs.js";
import { type Authorizer, type AuthorizerCredentials, authorizer } from "./authorizer.js";
import { type CurrentSubject, checkCurrent, offeredVersion } from "./check-current.js";
import { checkEarlier, earlierSuite, earlierVersionOf, earlierVersions } from "./check-earlier.js";
import { type FoundCard, findCard } from "./find-card.js";
import { textAt } from "./json.js";
import { type CheckResult, type ConformanceReport, summarizeChecks } from "./report.js";
import type { Scenario } from "./scenarios.js";
import { Wire } from "./wire.js";

/** Options of {@link checkAgent}. */
export interface ConformanceOptions {
  /** Sends the requests, except those over gRPC; the global `fetch` by default. */
  readonly fetch?: typeof fetch;
  /** Time limit of a response, and of each event of a stream, in seconds; 10 by default. */
  readonly responseTimeout?: number;
  /** Sent to the origin of the card and to `origins`. */
  readonly credentials?: AuthorizerCredentials;
  /** Credentials of a second caller, who must not see the tasks of the first. */
  readonly otherCredentials?: AuthorizerCredentials;
  /** Further origins that may receive the credentials, such as `https://api.example.com`. */
  readonly origins?: readonly string[];
  /** Options of gRPC connections. */
  readonly grpc?: GrpcConnectOptions;
  /** Protocol version to check; by default the newest that the card offers. */
  readonly protocol?: string;
  /** The text of a message that provokes a scenario, by scenario; it replaces the built-in messages. */
  readonly hints?: ReadonlyMap<Scenario, string>;
  /** Ids of requirements or of groups (`OP-SEND`) to check; all by default. */
  readonly only?: readonly string[];
  readonly signal?: AbortSignal;
  /** Called after each check with the number of checks that are done, and of all. */
  readonly onResult?: (result: CheckResult, done: number, all: number) => void;
}

/**
 * Checks an agent against the requirements that a client can observe: over each binding in its card for the current
 * major version, or over JSON-RPC for an earlier version. It creates tasks, and cancels those still open at the end.
 *
 * @param target URL of the agent or of its card, or the card itself
 * @throws ClientError CARD_UNAVAILABLE without a card, UNREACHABLE without an answer, NO_INTERFACE when the agent does
 *   not offer the earlier version, INVALID_OPTION for a version without checks; the reason of the signal once it aborts
 */
export async function checkAgent(
  target: URL | object,
  options: ConformanceOptions = {},
): Promise<ConformanceReport> {
  const { responseTimeout = 10, signal = new AbortController().signal, protocol } = options;
  refuseUnknown(protocol);
  let authorize: Authorizer = () => undefined;
  const wire = new Wire({
    ...{ fetch: options.fetch ?? fetch, responseTimeout, signal },
    authorize: (url, headers, isOther) => authorize(url, headers, isOther),
  });
  const wanted = earlierSuite(protocol);
  const version = protocol ?? newestClientVersion;
  const isOldFirst = wanted?.hasOldPath ?? false;
  const from =
    target instanceof URL ? await findOffered(wire, target, { version, isOldFirst, protocol }) : undefined;
  const { card, source } = from ?? { card: target };
  const base = source?.url;
  authorize = authorizer(card, base, options);
  const suite = wanted ?? (protocol === undefined ? earlierSuite(earlierVersionOf(card)) : undefined);
  const found: CurrentSubject = {
    ...{ card, wire, base, ...(source && { source }) },
    version: suite?.version ?? protocol ?? offeredVersion(card),
    grpc: options.grpc,
    hasOther: Object.keys(options.otherCredentials ?? {}).length > 0,
  };
  const { results, bindings, url } =
    suite === undefined ? await checkCurrent(found, options) : await checkEarlier(suite, found, options);
  const agent = { name: textAt(card, "name"), url: base ?? url };
  return summarizeChecks({ agent, protocolVersion: found.version, bindings }, results);
}

interface CardQuestion {
  readonly version: string;
  readonly isOldFirst: boolean;
  readonly protocol: string | undefined;
}

/**
 * Fetches the card in the version that is checked. Asked for a version that it does not speak, a server may answer with one card for the readers
 * of all its versions, so that the card is fetched again in the newest version that it offers.
 */
async function findOffered(
  wire: Wire,
  target: URL,
  { protocol, ...question }: CardQuestion,
): Promise<FoundCard> {
  const found = await findCard(wire, target, question);
  const version = protocol ?? offeredVersion(found.card);
  return version === question.version ? found : findCard(wire, target, { ...question, version });
}

function refuseUnknown(protocol: string | undefined): void {
  const [major] = newestClientVersion.split(".");
  if (protocol === undefined || protocol.split(".")[0] === major || earlierVersions.includes(protocol))
    return;
  const known = [newestClientVersion, ...earlierVersions].join(", ");
  throw new ClientError("INVALID_OPTION", `There are no checks for version ${protocol}; supported: ${known}`);
}
