import { isJsonObject } from "../json/json-text.js";
import type { RecordedExchange } from "./recorded-exchange.js";
import { withoutCredentials } from "./without-credentials.js";

/** A recording as a file has it: exchanges with an agent, without credentials. */
export interface RecordingFile {
  /** Version of this form. Readers take files up to their own. */
  readonly recording: 1;
  /** When it was begun, ISO 8601. */
  readonly recorded: string;
  readonly agent: { readonly url: string; readonly name?: string };
  /** In the order in which they were begun. */
  readonly exchanges: readonly RecordedExchange[];
}

/** What a recording is made of. */
export interface RecordingInput {
  readonly agent: RecordingFile["agent"];
  readonly exchanges: readonly RecordedExchange[];
  /** When it was begun; now by default. */
  readonly recorded?: Date | undefined;
  /** Credentials that were used. They are removed wherever they are, besides those in known places. */
  readonly secrets?: readonly string[] | undefined;
}

const VERSION = 1;

/**
 * Writes exchanges into the text of a file, without the credentials in them.
 *
 * @example
 * ```ts
 * await writeFile("run.json", writeRecording({ agent: { url }, exchanges: recording.exchanges }));
 * ```
 */
export function writeRecording({ agent, exchanges, recorded, secrets = [] }: RecordingInput): string {
  const file: RecordingFile = {
    recording: VERSION,
    recorded: (recorded ?? new Date()).toISOString(),
    agent,
    exchanges: exchanges.map((exchange) => withoutCredentials(exchange, secrets)),
  };
  return `${JSON.stringify(file, undefined, 2)}\n`;
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
    throw new TypeError('The file is no recording: it has no "recording" with the version of its form');
  if (file.recording !== VERSION)
    throw new TypeError(
      `The recording has version ${file.recording} of its form, and this program reads ${VERSION}`,
    );
  if (typeof file.recorded !== "string" || Number.isNaN(Date.parse(file.recorded)))
    throw new TypeError("The recording is not valid: recorded must be a time");
  if (!isJsonObject(file.agent) || typeof file.agent.url !== "string")
    throw new TypeError("The recording is not valid: agent.url must be a string");
  if (!Array.isArray(file.exchanges))
    throw new TypeError("The recording is not valid: exchanges must be a list");
  for (const [place, exchange] of file.exchanges.entries()) demandExchange(exchange, `exchanges[${place}]`);
  return file as unknown as RecordingFile;
}

const texts = ["method", "url", "request", "answer"];

function demandExchange(value: unknown, path: string): void {
  const invalid = (what: string): TypeError => new TypeError(`The recording is not valid: ${path}${what}`);
  if (!isJsonObject(value)) throw invalid(" must be an object");
  for (const name of texts) if (typeof value[name] !== "string") throw invalid(`.${name} must be a string`);
  if (!Number.isInteger(value.status)) throw invalid(".status must be a number");
  if (!isJsonObject(value.headers)) throw invalid(".headers must be an object");
  const { times } = value;
  if (times !== undefined && !(isJsonObject(times) && typeof times.started === "number"))
    throw invalid(".times.started must be a number");
}
