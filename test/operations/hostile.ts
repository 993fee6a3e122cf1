/** What a server does with a hostile request. */
type Verdict = "refused" | "taken";

/** A request that wants to do harm; well-formed HTTP, whatever its body is. */
export interface Hostile {
  readonly name: string;
  /** Parameters of SendMessage, as bytes. */
  readonly params: Buffer;
  /** Refused before anything was stored; or taken, as it is harmless for whoever reads it with care. */
  readonly verdict: Verdict;
  /** The code that a refusal has. */
  readonly code?: string;
}

const HUNDRED_THOUSAND = 100_000;
const MIB = 1024 * 1024;

const message = (parts: string, more = "") =>
  `{"message":{"messageId":"m","role":"ROLE_USER","parts":${parts}${more}}}`;
const saying = (text: string) => message(`[{"text":"${text}"}]`);

function refused(name: string, params: string | Buffer, code: string): Hostile {
  return { name, params: Buffer.from(params), verdict: "refused", code };
}

function taken(name: string, params: string): Hostile {
  return { name, params: Buffer.from(params), verdict: "taken" };
}

/** A text with bytes in it that are no text. */
function withBytes(...bytes: number[]): Buffer {
  const [before = "", after = ""] = saying("@").split("@");
  return Buffer.concat([Buffer.from(before), Buffer.from(bytes), Buffer.from(after)]);
}

/** Every hostile body. */
export function hostileBodies(): Hostile[] {
  const deep = "[".repeat(HUNDRED_THOUSAND) + "]".repeat(HUNDRED_THOUSAND);
  const deepObject = `${'{"a":'.repeat(HUNDRED_THOUSAND)}1${"}".repeat(HUNDRED_THOUSAND)}`;
  const polluting = '{"__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}}}';
  return [
    refused("10^5 lists within each other", message(`[{"data":${deep}}]`), "INVALID_REQUEST"),
    refused("10^5 objects within each other", message("[]", `,"metadata":${deepObject}`), "INVALID_REQUEST"),
    refused("10^5 lists that never end", "[".repeat(HUNDRED_THOUSAND), "PARSE_ERROR"),
    refused("49,000 parts", message(`[${Array(49_000).fill('{"text":""}')}]`), "INVALID_PARAMS"),
    refused("10^5 parts", message(`[${Array(HUNDRED_THOUSAND).fill('{"text":""}')}]`), "INVALID_REQUEST"),
    refused(
      "a million parts without content",
      message(`[${Array(10 * HUNDRED_THOUSAND).fill("{}")}]`),
      "INVALID_REQUEST",
    ),
    refused(
      "objects that take twenty times their text",
      message(`[{"data":[${"[{}],".repeat(1.5 * MIB)}0]}]`),
      "INVALID_REQUEST",
    ),
    refused("4 MiB of brackets", message(`[{"data":${"[".repeat(4 * MIB)}`), "INVALID_REQUEST"),
    refused(
      "members of a million names",
      message(`[{"data":{${Array.from({ length: 10 * HUNDRED_THOUSAND }, (_, at) => `"${at}":0`)}}}]`),
      "REQUEST_TOO_LARGE",
    ),
    refused(
      "members of 500,000 names",
      message(`[{"data":{${Array.from({ length: 5 * HUNDRED_THOUSAND }, (_, at) => `"${at}":0`)}}}]`),
      "INVALID_REQUEST",
    ),
    refused("10^6 commas and no JSON", ",".repeat(10 * HUNDRED_THOUSAND), "INVALID_REQUEST"),
    taken("as many commas in a text", saying(",[{".repeat(HUNDRED_THOUSAND))),
    refused(
      "metadata of a megabyte",
      message('[{"text":"x"}]', `,"metadata":{"a":"${"x".repeat(MIB)}"}`),
      "INVALID_PARAMS",
    ),
    refused(
      "49,000 members of metadata",
      message(
        '[{"text":"x"}]',
        `,"metadata":{${Array.from({ length: 49_000 }, (_, index) => `"k${index}":0`)}}`,
      ),
      "INVALID_PARAMS",
    ),
    refused("bytes that no UTF-8 has", withBytes(0xff, 0xfe), "PARSE_ERROR"),
    refused("UTF-8 that breaks off", withBytes(0xf0, 0x9f, 0x98), "PARSE_ERROR"),
    refused("a slash in two bytes of UTF-8", withBytes(0xc0, 0xaf), "PARSE_ERROR"),
    refused("half a surrogate pair in UTF-8", withBytes(0xed, 0xa0, 0x80), "PARSE_ERROR"),
    refused("a NUL in a text", withBytes(0), "PARSE_ERROR"),
    refused("a NUL between members", saying("x").replace(",", ",\0"), "PARSE_ERROR"),
    refused("64 MiB of spaces", Buffer.alloc(64 * MIB, " "), "REQUEST_TOO_LARGE"),
    refused("64 MiB in one text", saying("x".repeat(64 * MIB)), "REQUEST_TOO_LARGE"),
    refused("a list where a message belongs", '{"message":[]}', "INVALID_PARAMS"),
    refused(
      "a role of another kind",
      saying("x").replace('"ROLE_USER"', '{"toString":"x"}'),
      "INVALID_PARAMS",
    ),
    refused(
      "a polluted message",
      `{"message":{"__proto__":{"messageId":"m","role":"ROLE_USER","parts":[{"text":"x"}]}}}`,
      "INVALID_PARAMS",
    ),
    taken("names that pollute prototypes", message('[{"text":"x"}]', `,"metadata":${polluting}`)),
    taken(
      "names that pollute prototypes, unknown ones",
      `{"__proto__":{"polluted":true},${saying("x").slice(1)}`,
    ),
    taken("names that pollute prototypes, in data", message(`[{"data":${polluting}}]`)),
    taken("a member twice", message('[{"text":"first"}],"parts":[{"text":"last"}]')),
    taken("an escaped NUL", saying("a\\u0000b")),
    taken("half an escaped surrogate pair", saying("\\ud800")),
    taken("a number beyond all numbers", message('[{"data":[1e999,-1e999,1e-999]}]')),
    taken("a byte-order mark", `\ufeff${saying("x")}`),
    refused("a megabyte in one name", message(`[{"data":{"${"x".repeat(MIB)}":1}}]`), "INVALID_REQUEST"),
  ];
}

/** A hostile body in the envelope of a binding, with what goes with it. */
export function envelope(binding: "JSONRPC" | "HTTP+JSON", params: Buffer): { path: string; body: Buffer } {
  if (binding === "HTTP+JSON") return { path: "/message:send", body: params };
  const head = Buffer.from('{"jsonrpc":"2.0","id":1,"method":"SendMessage","params":');
  return { path: "/", body: Buffer.concat([head, params, Buffer.from("}")]) };
}
