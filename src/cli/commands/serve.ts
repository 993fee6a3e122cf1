import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import { setTimeout } from "node:timers/promises";
import { type Agent, defineAgent } from "../../agent/define-agent.js";
import type { ExecutionContext } from "../../agent/executor.js";
import {
  artifact,
  authRequired,
  type Content,
  completed,
  failed,
  inputRequired,
  rejected,
  reply,
  type StatusUpdate,
  type Update,
  working,
} from "../../agent/updates.js";
import { timeoutOf } from "../../async/clock.js";
import type { CardInput } from "../../card/build-card.js";
import { isJsonObject } from "../../json/json-text.js";
import type { Part } from "../../protocol/model.js";
import { dataPart, textPart } from "../../protocol/parts.js";
import { serve as listen } from "../../server/koa/serve.js";
import type { Command } from "../command.js";
import { fileFailure } from "../failure.js";
import { untilInterrupted } from "../until-interrupted.js";

/** What the mock agent does with a message. `{text}` in its texts is replaced by the text of the message. */
interface Rule {
  /** Regular expression for the message; a rule without it matches every message. */
  readonly match?: string;
  /** Replies with a plain message, without a task. */
  readonly reply?: string;
  /** Progress texts. */
  readonly working?: readonly string[];
  readonly artifact?: { readonly name?: string; readonly text?: string; readonly data?: unknown };
  /** State in which the task ends or waits; `completed` by default. */
  readonly state?: State;
  /** The agent's text in the last state. */
  readonly message?: string;
  /** Seconds to wait before each update. */
  readonly delay?: number;
}

/** A mock agent in a file. */
interface MockFile {
  readonly card: CardInput;
  readonly rules: readonly Rule[];
}

type State = "completed" | "failed" | "rejected" | "input-required" | "auth-required";

const ends: Readonly<Record<State, (content?: Content) => StatusUpdate>> = {
  completed,
  failed,
  rejected,
  "input-required": (content = "What next?") => inputRequired(content),
  "auth-required": (content = "Please grant access.") => authRequired(content),
};

/** The mock agent without a file: it echoes messages. */
export const echo: MockFile = {
  card: {
    name: "Echo",
    description: "Returns what it receives.",
    skills: [{ id: "echo", name: "Echo", description: "Returns the text of a message.", tags: ["demo"] }],
  },
  rules: [
    { match: "^ask", state: "input-required", message: "What do you want to know?" },
    { match: "^fail", state: "failed", message: "As you wish." },
    { match: "^say ", reply: "{text}" },
    { working: ["Listening"], artifact: { name: "echo", text: "{text}" } },
  ],
};

/** An agent that follows rules. The first matching rule applies; without one the agent rejects the task. */
export function mockAgent({ card, rules }: MockFile): Agent {
  return defineAgent({
    card,
    async *execute(context) {
      const rule = rules.find(
        ({ match }) => match === undefined || new RegExp(match, "i").test(context.text),
      );
      if (rule === undefined) yield rejected("No rule matches this message");
      else yield* follow(rule, context);
    },
  });
}

async function* follow(rule: Rule, { text, signal }: ExecutionContext): AsyncGenerator<Update> {
  const filled = (words: string): string => words.replaceAll("{text}", text);
  const pause = () =>
    rule.delay ? setTimeout(timeoutOf(rule.delay * 1000), undefined, { signal }) : undefined;
  await pause();
  if (rule.reply !== undefined) {
    yield reply(filled(rule.reply));
    return;
  }
  for (const words of rule.working ?? []) {
    yield working(filled(words));
    await pause();
  }
  if (rule.artifact !== undefined) {
    const { name, text: words, data } = rule.artifact;
    const parts: Part[] = [];
    if (words !== undefined) parts.push(textPart(filled(words)));
    if (data !== undefined) parts.push(dataPart(data));
    yield artifact(name === undefined ? {} : { name }).parts(parts, true);
    await pause();
  }
  const end = ends[rule.state ?? "completed"];
  yield end(rule.message === undefined ? undefined : filled(rule.message));
}

type Json = Readonly<Record<string, unknown>>;

/** Validators of a rule's members. */
const members: Readonly<Record<keyof Rule, readonly [(value: unknown) => boolean, string]>> = {
  match: [isPattern, "a regular expression"],
  reply: [isText, "text"],
  working: [(value) => Array.isArray(value) && value.every(isText), "a list of texts"],
  artifact: [isArtifact, 'an object with "text" or "data"'],
  state: [(value) => typeof value === "string" && Object.hasOwn(ends, value), Object.keys(ends).join(", ")],
  message: [isText, "text"],
  delay: [(value) => typeof value === "number" && value >= 0, "seconds"],
};

/**
 * Reads the file of a mock agent.
 * @param text JSON: `{ "card": { … }, "rules": [ … ] }`
 * @throws Failure that names the invalid member
 */
function readMockFile(text: string): MockFile {
  let file: unknown;
  try {
    file = JSON.parse(text);
  } catch (cause) {
    throw fileFailure("The file of the agent is not JSON", cause);
  }
  if (!isJsonObject(file) || !isJsonObject(file.card))
    throw fileFailure('The file of the agent needs a "card"');
  for (const name of ["name", "description"])
    if (!isText(file.card[name])) throw fileFailure(`card.${name} must be a string`);
  if (!Array.isArray(file.rules)) throw fileFailure('The file of the agent needs "rules", a list');
  for (const [index, rule] of file.rules.entries()) checkRule(rule, `rules[${index}]`);
  // The server validates the card itself.
  return { card: file.card as Json & CardInput, rules: file.rules as Rule[] };
}

function checkRule(rule: unknown, path: string): void {
  if (!isJsonObject(rule)) throw fileFailure(`${path} must be an object`);
  for (const [name, value] of Object.entries(rule)) {
    if (!isMember(name))
      throw fileFailure(`${path}.${name} is unknown; a rule can have: ${Object.keys(members).join(", ")}`);
    const [fits, expected] = members[name];
    if (!fits(value)) throw fileFailure(`${path}.${name} must be ${expected}`);
  }
}

function isMember(name: string): name is keyof Rule {
  return Object.hasOwn(members, name);
}

function isText(value: unknown): boolean {
  return typeof value === "string";
}

function isArtifact(value: unknown): boolean {
  return isJsonObject(value) && (isText(value.text) || value.data !== undefined);
}

function isPattern(value: unknown): boolean {
  try {
    return typeof value === "string" && new RegExp(value, "i") !== undefined;
  } catch {
    return false;
  }
}

/** `parley serve`: a mock agent to try out commands and clients with. */
export const serveCommand: Command = {
  path: ["serve"],
  aliases: [["demo-server"]],
  summary: "Serve a mock agent, until Ctrl+C",
  args: [
    {
      name: "file",
      optional: true,
      help: "JSON with a card and rules; without it the agent echoes messages",
    },
  ],
  options: [
    { name: "port", takes: "n", fallback: "41241", help: "Port to listen on; 0 for any free one" },
    { name: "host", takes: "address", fallback: "127.0.0.1", help: "Address to listen on" },
    { name: "inspector", help: "Mount the inspector at /inspector, for a browser on this machine" },
    {
      name: "allow-webhooks",
      help: "Allow push notifications to this machine, to private networks and over plain http",
    },
  ],
  examples: ["parley serve", "parley serve agent.json --port 0 -o json"],
  async run({ words, values, io, output, notes, signal }) {
    const [path] = words;
    const file = path === undefined ? echo : readMockFile(await textOf(resolve(io.folder, path)));
    const allowsWebhooks = values.isOn("allow-webhooks");
    const server = await listen(mockAgent(file), {
      port: values.count("port") ?? 0,
      host: values.text("host") ?? "127.0.0.1",
      inspector: values.isOn("inspector"),
      push: allowsWebhooks ? { allowHttp: true, allowPrivateNetworks: true } : {},
      logger: notes.logger,
    });
    const inspector = values.isOn("inspector") ? `${server.url}/inspector/` : undefined;
    output.print({ url: server.url, inspector }, (page) => {
      page.field("Listening", server.url);
      if (inspector !== undefined) page.field("Inspector", inspector);
    });
    await untilInterrupted(signal);
    await server.close(0);
  },
};

async function textOf(path: string): Promise<string> {
  return readFile(path, "utf8").catch((cause: unknown) => {
    throw fileFailure(`${path} cannot be read`, cause);
  });
}
