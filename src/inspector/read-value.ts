import { isJsonObject } from "../json/json-text.js";
import type { AbortRequest, ConformanceRun, FetchHead, RedirectRequest, WebhookSettings } from "./api.js";
import { ApiRefused } from "./api-refused.js";

/** Whether a value is what a member must be, and what that is. */
type Kind = readonly [fits: (value: unknown) => boolean, words: string];

/** Members of an object. A name that ends with `?` is one that can be absent. */
type Shape = Readonly<Record<string, Kind>>;

const MAX_TEXT = 65_536;
const MAX_LIST = 1000;
/** Seconds. */
const MAX_DELAY = 60;
const HOUR = 3600;
const FAILING = { least: 300, most: 599 };
/** A method of HTTP that a page may use. */
const METHOD = /^(GET|HEAD|POST|PUT|PATCH|DELETE|OPTIONS)$/;

const text: Kind = [isText, `text of at most ${MAX_TEXT} characters`];
const texts: Kind = [(value) => isList(value, isText), "a list of texts"];
const object: Kind = [isJsonObject, "an object"];
const id: Kind = numberUpTo(0xffffffff);

const headerFields: Kind = [
  (value) => isList(value, (one) => isList(one, isText) && (one as unknown[]).length === 2),
  "a list of names with values",
];

const credentials = objectOf({
  "bearer?": text,
  "apiKey?": text,
  "headers?": [(value) => isJsonObject(value) && Object.values(value).every(isText), "an object of texts"],
});

const fetchHead: Shape = {
  id,
  "over?": [(value) => value === "GRPC", '"GRPC"'],
  method: [(value) => isText(value) && METHOD.test(value as string), "a method of HTTP"],
  url: text,
  headers: headerFields,
  agent: text,
  "maxBytes?": numberUpTo(Number.MAX_SAFE_INTEGER),
};

const webhookSettings: Shape = {
  "name?": text,
  "token?": text,
  "authorization?": text,
  "signature?": objectOf({ keys: text, issuer: text }),
  "fail?": objectOf({
    status: [
      (value) => isWhole(value) && value >= FAILING.least && value <= FAILING.most,
      `a status from ${FAILING.least} to ${FAILING.most}`,
    ],
    times: numberUpTo(1_000_000),
    "retryAfter?": numberUpTo(HOUR),
  }),
  "delay?": [
    (value) => typeof value === "number" && value >= 0 && value <= MAX_DELAY,
    `seconds, at most ${MAX_DELAY}`,
  ],
};

const conformanceRun: Shape = {
  id,
  target: [(value) => isText(value) || isJsonObject(value), "a URL or a card"],
  agent: text,
  "protocol?": text,
  "only?": texts,
  "hints?": object,
  "responseTimeout?": [
    (value) => typeof value === "number" && value > 0 && value <= HOUR,
    `seconds, at most ${HOUR}`,
  ],
  "credentials?": credentials,
  "otherCredentials?": credentials,
  "origins?": texts,
};

/** Reads a request of the API from JSON that was parsed. They throw ApiRefused for what is none. */
export const readFetchHead = readerOf<FetchHead>(fetchHead);
export const readWebhookSettings = readerOf<WebhookSettings>(webhookSettings);
export const readConformanceRun = readerOf<ConformanceRun>(conformanceRun);
export const readAbort = readerOf<AbortRequest>({ id });
export const readRedirect = readerOf<RedirectRequest>({ state: text });

function readerOf<Value>(shape: Shape): (value: unknown) => Value {
  return (value) => {
    const fault = isJsonObject(value) ? faultIn(value, shape) : "The request must be an object";
    if (fault !== undefined) throw new ApiRefused("INVALID_REQUEST", fault);
    return value as Value;
  };
}

/** What is wrong with an object; undefined when nothing is. */
function faultIn(value: Readonly<Record<string, unknown>>, shape: Shape): string | undefined {
  const named = new Map(Object.entries(shape).map(([name, kind]) => [name.replace("?", ""), kind]));
  const unknown = Object.keys(value).find((name) => !named.has(name));
  if (unknown !== undefined) return `${unknown} is unknown`;
  for (const [name, [fits, words]] of named) {
    const member = value[name];
    if (member === undefined && `${name}?` in shape) continue;
    if (!fits(member)) return `${name} must be ${words}`;
  }
  return undefined;
}

function objectOf(shape: Shape): Kind {
  const names = Object.keys(shape).join(", ");
  return [(value) => isJsonObject(value) && faultIn(value, shape) === undefined, `an object with ${names}`];
}

function numberUpTo(most: number): Kind {
  return [(value) => isWhole(value) && value >= 0 && value <= most, `a whole number of at most ${most}`];
}

function isWhole(value: unknown): value is number {
  return Number.isSafeInteger(value);
}

function isText(value: unknown): boolean {
  return typeof value === "string" && value.length <= MAX_TEXT;
}

function isList(value: unknown, fits: (one: unknown) => boolean): boolean {
  return Array.isArray(value) && value.length <= MAX_LIST && value.every(fits);
}
