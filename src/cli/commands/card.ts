import { signCard } from "../../card/sign-card.js";
import { verifyCard } from "../../card/verify-card.js";
import type { AgentCard } from "../../protocol/model.js";
import type { Argument, Command, CommandCall } from "../command.js";
import { connectAgent } from "../connect-agent.js";
import { Failure, usage } from "../failure.js";
import { readPrivateKey, readPublicKeys } from "../key-file.js";
import { agentCard, callOptions, requestOptions } from "../options.js";
import { catalogEntries, decodedCard, rawCard } from "../raw-card.js";
import { cardFaults, writeCard } from "../text/write-card.js";
import { callFetch } from "../wire-log.js";

const ref: Argument = { name: "ref", optional: true, help: "The agent, as --agent-card takes it" };
const line = { name: "stream", explicit: true, help: "With -o json: the card on one line" } as const;
const timeout = callOptions.filter(({ name }) => name === "timeout");

/** `parley card get`: shows a card, with `--validate` after checking it. */
export const cardGet: Command = {
  path: ["card", "get"],
  summary: "Show the card of an agent",
  args: [ref],
  options: [
    { name: "validate", help: "Check the card against the schema first" },
    { name: "extended", help: "Show the extended card, for authenticated callers" },
    line,
    ...callOptions,
  ],
  examples: ["parley card get localhost:41241", "parley card get ./agent-card.json --validate"],
  async run(call) {
    const { values, output } = call;
    if (values.isOn("extended")) {
      const client = await connectAgent(call);
      const card = await client.getExtendedAgentCard({}, { signal: call.signal });
      return output.print(card, (page) => writeCard(page, card));
    }
    const raw = await rawCard(call);
    if (values.isOn("validate")) checkRawCard(call, raw);
    const card = decodedCard(raw);
    return output.print(raw, (page) => {
      writeCard(page, card);
      page.field("Signature", signatureOf(card));
    });
  },
};

/** `parley card list`: lists the catalog of a host. */
export const cardList: Command = {
  path: ["card", "list"],
  summary: "List the agents in the catalog of a host",
  args: [ref],
  options: [line, agentCard, ...requestOptions, ...timeout],
  examples: ["parley card list localhost:41241", "parley card get localhost:41241#Writer"],
  async run(call) {
    const entries = await catalogEntries(call);
    const agents = entries.map(({ card, ...about }) => ({
      ...about,
      ...(card instanceof URL && { card: card.href }),
    }));
    call.output.print({ agents }, (page) => {
      if (agents.length === 0) page.field("Agents", "none");
      for (const { name, identifier, description, version } of agents) {
        page.field("Agent", name);
        page.field("Identifier", identifier);
        page.field("Version", version);
        page.field("Description", description);
      }
    });
  },
};

/** `parley card validate`: checks a card, and reports the first problem of the schema or all of the rules. */
export const cardValidate: Command = {
  path: ["card", "validate"],
  summary: "Check a card against the schema and the rules of the protocol",
  args: [ref],
  options: [line, agentCard, ...requestOptions, ...timeout],
  async run(call) {
    const raw = await rawCard(call);
    checkRawCard(call, raw);
    call.output.print(raw, (page) => page.field("Card", "valid"));
  },
};

/** `parley card sign`: prints a card with a signature. */
export const cardSign: Command = {
  path: ["card", "sign"],
  summary: "Sign a card, and print the signed one",
  args: [ref],
  options: [
    { name: "key", takes: "file", help: "Private key, PEM or JWK" },
    { name: "kid", takes: "id", otherwise: "the one in the JWK", help: "Id of the key" },
    { name: "alg", takes: "name", otherwise: "the one that fits the key", help: "JWS algorithm" },
    { name: "jku", takes: "url", help: "https URL of the key set with the public key" },
    line,
    agentCard,
    ...requestOptions,
    ...timeout,
  ],
  examples: ["parley card sign ./agent-card.json --key key.pem --kid 2026 > signed.json"],
  async run(call) {
    const { values, io, output } = call;
    const path = values.text("key");
    if (path === undefined) throw usage("card sign needs --key <file>");
    const file = await readPrivateKey(path, io);
    const kid = values.text("kid") ?? file.kid;
    if (kid === undefined) throw usage("The key has no id: specify --kid <id>");
    const raw = await rawCard(call);
    checkRawCard(call, raw);
    const jku = values.text("jku");
    const alg = values.text("alg") ?? file.alg;
    const key = { key: file.key, kid, alg, ...(jku !== undefined && { jku }) };
    const signed = await signCard(raw as AgentCard, [key]);
    // A card is JSON in every output format, because it is meant to be published.
    output.raw(`${JSON.stringify(signed, undefined, output.isStream ? 0 : 2)}\n`);
  },
};

/** `parley card verify`: verifies a signature, and prints what it covers. */
export const cardVerify: Command = {
  path: ["card", "verify"],
  summary: "Verify the signatures of a card; one valid signature is enough",
  args: [ref],
  options: [
    { name: "key", takes: "file", help: "Public keys that you trust: a key set, a JWK or PEM" },
    { name: "kid", takes: "id", help: "Id of a key whose file has none" },
    { name: "key-host", takes: "host", many: true, help: "Host whose key sets you trust" },
    line,
    agentCard,
    ...requestOptions,
    ...timeout,
  ],
  async run(call) {
    const { values, io, output } = call;
    const path = values.text("key");
    const hosts = values.texts("key-host");
    if (path === undefined && hosts.length === 0)
      throw usage("card verify needs a trusted key: --key <file> or --key-host <host>");
    const keys = path === undefined ? [] : await readPublicKeys(path, values.text("kid"), io);
    const raw = await rawCard(call);
    const trust = { keys, ...(hosts.length > 0 && { keySets: { hosts, fetch: callFetch(call) } }) };
    const { card, kid } = await verifyCard(raw, trust);
    output.print(card, (page) => {
      page.field("Signature", "verified");
      page.field("Key", kid);
    });
  },
};

function checkRawCard({ notes }: CommandCall, raw: object): void {
  const { problems, warnings } = cardFaults(raw);
  for (const text of warnings) notes.warn(text);
  if (problems.length > 0)
    throw new Failure("A2ACLI_ERR_CARD_INVALID", `The agent card is not valid: ${problems.join("; ")}`);
}

/** Describes the signatures without verifying them, because `card get` has no trusted keys. */
function signatureOf({ signatures = [] }: AgentCard): string {
  return signatures.length === 0 ? "absent" : "unverifiable without a trusted key (parley card verify)";
}
