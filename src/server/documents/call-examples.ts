import type { AgentCard, AgentInterface, Message, SecurityScheme } from "../../protocol/model.js";
import type { ClientCodec } from "../../versions/client-codec.js";
import { requiredSchemes } from "./security-words.js";

/** How an agent is called, as text to copy. */
export interface CallExamples {
  /** A shell command; undefined when the card has no interface that curl can call. */
  readonly curl: string | undefined;
  /** The same with the command line of this package. */
  readonly parley: string;
  /** The same with its client. */
  readonly typeScript: string;
}

/** An agent, as far as the examples need to know it. */
export interface CalledAgent {
  readonly card: AgentCard;
  /** Absolute URL under which the reader reaches it. */
  readonly url: string;
  /** The address that curl calls, and the codec of its version. */
  readonly target?: { readonly address: AgentInterface; readonly codec: ClientCodec } | undefined;
}

/** Longest example of a skill that is taken for the text to send, in characters. */
const MAX_TEXT = 200;
const TEXT = "Hello";

/** Examples that call the agent with the first example of its skills, and with placeholders for the credentials that it requires. */
export function callExamples(agent: CalledAgent): CallExamples {
  const { card, url, target } = agent;
  const found = card.skills.flatMap(({ examples = [] }) => examples)[0] ?? TEXT;
  const text = found.length <= MAX_TEXT && !found.startsWith("-") ? found : TEXT;
  const schemes = requiredSchemes(card);
  return {
    curl: target && curlCommand(target.address, target.codec, text, schemes),
    parley: parleyCommand(url, text, schemes),
    typeScript: clientProgram(url, text, schemes),
  };
}

type Named = ReadonlyMap<string, SecurityScheme>;

/** How a credential is given to curl and to the command line, with names of variables in place of values. */
interface Placeholder {
  readonly curl: readonly string[];
  /** Appended to the URL. */
  readonly query?: string;
  /** Variable of the command line, and what it is set to. */
  readonly variable?: string;
  readonly flags?: readonly string[];
  /** Expression in a program. */
  readonly value?: string;
}

const TOKEN: Placeholder = {
  curl: ['-H "Authorization: Bearer $TOKEN"'],
  variable: 'A2ACLI_BEARER="$TOKEN"',
  value: 'process.env.TOKEN ?? ""',
};

const CERTIFICATE: Placeholder = {
  curl: ["--cert client.pem --key client-key.pem"],
  flags: ["--client-cert client.pem --client-key client-key.pem"],
};

function placeholderOf({
  apiKeySecurityScheme,
  httpAuthSecurityScheme,
  ...others
}: SecurityScheme): Placeholder {
  if (apiKeySecurityScheme !== undefined) {
    const { location, name } = apiKeySecurityScheme;
    const key = { variable: 'A2ACLI_API_KEY="$API_KEY"', value: 'process.env.API_KEY ?? ""' };
    if (location === "query") return { ...key, curl: [], query: `${encodeURIComponent(name)}=` };
    return {
      ...key,
      curl: [
        `${location === "cookie" ? "-b" : "-H"} ${quoted(`${name}${location === "cookie" ? "=" : ": "}`)}"$API_KEY"`,
      ],
    };
  }
  if (httpAuthSecurityScheme?.scheme.toLowerCase() === "basic")
    return {
      curl: ['-u "$NAME:$PASSWORD"'],
      value: 'basic(process.env.NAME ?? "", process.env.PASSWORD ?? "")',
    };
  return others.mtlsSecurityScheme === undefined ? TOKEN : CERTIFICATE;
}

function curlCommand(
  { url, protocolBinding, tenant }: AgentInterface,
  codec: ClientCodec,
  text: string,
  schemes: Named,
): string | undefined {
  const call = codec.calls.get("SendMessage");
  const route = call?.http[0];
  if (call === undefined) return undefined;
  const message: Message = { messageId: "message-1", role: "ROLE_USER", parts: [{ text }] };
  const params = codec.encodeRequest("SendMessage", {
    message,
    ...(tenant && codec.conventions.tenants && { tenant }),
  });
  const isRpc = protocolBinding === "JSONRPC";
  const body = isRpc ? { jsonrpc: "2.0", id: 1, method: call.method, params } : params;
  const { curl, query } = joined(schemes);
  const target = quoted(isRpc ? url : url + (route?.path ?? "")) + (query && `"?${query}$API_KEY"`);
  return [
    `curl ${target}`,
    `-H 'Content-Type: ${isRpc ? "application/json" : codec.conventions.mediaType}'`,
    `-H 'A2A-Version: ${codec.version}'`,
    ...curl,
    `-d ${quoted(JSON.stringify(body))}`,
  ].join(" \\\n  ");
}

function parleyCommand(url: string, text: string, schemes: Named): string {
  const { variables, flags } = joined(schemes);
  const command = [...variables, "npx a2a-parley send", quoted(text)].join(" ");
  return [command, `--agent-card ${quoted(url)}`, ...flags].join(" \\\n  ");
}

function clientProgram(url: string, text: string, schemes: Named): string {
  const credentials = [...schemes].flatMap(([name, scheme]) => {
    const { value } = placeholderOf(scheme);
    return value === undefined ? [] : [`    ${memberName(name)}: ${value},`];
  });
  const needsBasic = credentials.some((line) => line.includes(": basic("));
  const options = credentials.length === 0 ? "" : `, {\n  credentials: {\n${credentials.join("\n")}\n  },\n}`;
  return `import { ${needsBasic ? "basic, " : ""}connect, textOf } from "a2a-parley/client";

const client = await connect(${JSON.stringify(url)}${options});
const { task, message } = await client.sendText(${JSON.stringify(text)});
console.log(message ? textOf(message) : task?.artifacts?.map(textOf).join("\\n") || task?.status);`;
}

function memberName(name: string): string {
  return /^[A-Za-z_]\w*$/.test(name) ? name : JSON.stringify(name);
}

function joined(schemes: Named) {
  const all = [...schemes.values()].map(placeholderOf);
  return {
    curl: all.flatMap(({ curl }) => curl),
    query: all.flatMap(({ query = [] }) => query)[0] ?? "",
    variables: all.flatMap(({ variable = [] }) => variable),
    flags: all.flatMap(({ flags = [] }) => flags),
  };
}

/** An argument of a shell command: within single quotes only the quote itself has a meaning. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
