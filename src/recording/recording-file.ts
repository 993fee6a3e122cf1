import { isJsonObject } from "../json/json-text.js";
import { parseUrl } from "../net/url.js";
import { argumentError, assertObject } from "../protocol/argument.js";
import type { RecordedExchange } from "./recorded-exchange.js";
import { agentUrlWithoutCredentials, withoutCredentials, withoutValues } from "./without-credentials.js";

/** The content of a file with a recording: exchanges with an agent, without credentials. */
export interface RecordingFile {
  /** Version of this format. */
  readonly recording: 1;
  /** When the recording began, ISO 8601. */
  readonly recorded: string;
  /** The agent that was called. */
  readonly agent: { readonly url: string; readonly name?: string };
  /** The exchanges in the order in which they began. */
  readonly exchanges: readonly RecordedExchange[];
}

/** What a recording is made of. */
export interface RecordingInput {
  /** The agent that was called. */
  readonly agent: RecordingFile["agent"];
  /** The exchanges, with or without credentials. */
  readonly exchanges: readonly RecordedExchange[];
  /** When the recording began; now by default. */
  readonly recorded?: Date | undefined;
  /** Credentials that were used. They are removed wherever they occur, in addition to those in known places. */
  readonly secrets?: readonly string[] | undefined;
}

const VERSION = 1;

/**
 * Writes exchanges into the text of a file, without the credentials in them and in the URL of the agent.
 *
 * @example
 * ```ts
 * await writeFile("run.json", writeRecording({ agent: { url }, exchanges: recording.exchanges }));
 * ```
 * @throws TypeError when the agent is not an object with a URL, or the exchanges are not a list
 */
export function writeRecording(input: RecordingInput): string {
  const needs = "writeRecording needs { agent: { url }, exchanges }";
  assertObject(input, needs);
  const { agent, exchanges, recorded, secrets = [] } = input;
  assertObject(agent, `${needs}: agent must be an object`);
  if (typeof agent.url !== "string") throw argumentError(`${needs}: agent.url must be a string`, agent.url);
  if (!Array.isArray(exchanges)) throw argumentError(`${needs}: exchanges must be a list`, exchanges);
  const file: RecordingFile = {
    recording: VERSION,
    recorded: (recorded ?? new Date()).toISOString(),
    agent: agentWithoutCredentials(agent, secrets),
    exchanges: exchanges.map((exchange) => withoutCredentials(exchange, secrets)),
  };
  return `${JSON.stringify(file, undefined, 2)}\n`;
}

/** The URL and the name of an agent, without credentials. */
function agentWithoutCredentials(
  { url, name }: RecordingFile["agent"],
  secrets: readonly string[],
): RecordingFile["agent"] {
  return {
    url: withoutValues(agentUrlWithoutCredentials(url), secrets),
    ...(name !== undefined && { name: withoutValues(name, secrets) }),
  };
}

/**
 * Reads a file of {@link writeRecording}, or one that the inspector has saved.
 *
 * @throws TypeError that names what is wrong with it
 * @example
 * ```ts
 * const { exchanges } = readRecording(await readFile("run.json", "utf8"));
 * const client = await connect(url, { fetch: replay(exchanges) });
 * ```
 */
export function readRecording(text: string): RecordingFile {
  let file: unknown;
  try {
    file = JSON.parse(text);
  } catch (cause) {
    throw new TypeError("The recording is not JSON", { cause });
  }
  if (!isJsonObject(file) || typeof file.recording !== "number")
    throw new TypeError(
      'The file is not a recording: it has no member "recording" with the version of the format',
    );
  if (file.recording !== VERSION)
    throw new TypeError(
      `The recording has version ${file.recording} of the format, and this program reads version ${VERSION}`,
    );
  if (typeof file.recorded !== "string" || Number.isNaN(Date.parse(file.recorded)))
    throw new TypeError("The recording is not valid: recorded must be a time");
  if (!isJsonObject(file.agent) || typeof file.agent.url !== "string")
    throw new TypeError("The recording is not valid: agent.url must be a string");
  if (!Array.isArray(file.exchanges))
    throw new TypeError("The recording is not valid: exchanges must be a list");
  for (const [place, exchange] of file.exchanges.entries()) checkExchange(exchange, `exchanges[${place}]`);
  return file as unknown as RecordingFile;
}

/** Members of an exchange that are strings. */
const strings = ["method", "url", "request", "answer"];

function checkExchange(value: unknown, path: string): void {
  const invalid = (what: string): TypeError => new TypeError(`The recording is not valid: ${path}${what}`);
  if (!isJsonObject(value)) throw invalid(" must be an object");
  for (const name of strings) if (typeof value[name] !== "string") throw invalid(`.${name} must be a string`);
  if (parseUrl(String(value.url)) === undefined) throw invalid(".url must be an absolute URL");
  if (!Number.isInteger(value.status)) throw invalid(".status must be a number");
  if (!isJsonObject(value.headers)) throw invalid(".headers must be an object");
  const { times } = value;
  if (times !== undefined && !(isJsonObject(times) && typeof times.started === "number"))
    throw invalid(".times.started must be a number");
}
