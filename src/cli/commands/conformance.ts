import type { AuthorizerCredentials } from "../../conformance/authorizer.js";
import { type ConformanceOptions, checkAgent } from "../../conformance/check-agent.js";
import type { CheckResult, ConformanceReport } from "../../conformance/report.js";
import { type Scenario, scenarioNames } from "../../conformance/scenarios.js";
import { readReference } from "../agent-reference.js";
import type { Command, CommandCall } from "../command.js";
import { applyInsecure, referenceIn } from "../connect-agent.js";
import { Failure, usage } from "../failure.js";
import { agentCard, callOptions, requestOptions } from "../options.js";
import { writeReport } from "../text/write-report.js";
import type { Values } from "../values.js";
import { callFetch, certificatesIn, loggedFetch } from "../wire-log.js";

const shared = callOptions.filter(({ name }) => ["allow-origin", "timeout"].includes(name));

/** `parley conformance`: checks an agent against the requirements of the protocol. */
export const conformance: Command = {
  path: ["conformance"],
  summary: "Check an agent against the requirements of the protocol",
  args: [{ name: "ref", optional: true, help: "The agent, as --agent-card takes it" }],
  options: [
    {
      name: "only",
      takes: "ids",
      many: true,
      help: "Check only these requirements (OP-SEND-04) or groups of them (OP-SEND)",
    },
    {
      name: "say",
      takes: "scenario=text",
      many: true,
      explicit: true,
      help: `Text that provokes a scenario: ${scenarioNames.join(", ")}`,
    },
    {
      name: "protocol",
      takes: "version",
      otherwise: "the newest that the card offers",
      help: "Protocol version",
    },
    {
      name: "response-timeout",
      takes: "duration",
      fallback: "10s",
      help: "Time limit of a response, and of each event of a stream",
    },
    agentCard,
    ...requestOptions.filter(({ name }) => name !== "svc-param"),
    {
      name: "header",
      takes: "name:value",
      many: true,
      secret: true,
      help: "Header that identifies the caller",
    },
    { name: "other-bearer", takes: "token", secret: true, help: "Bearer token of a second caller" },
    { name: "other-api-key", takes: "key", secret: true, help: "API key of a second caller" },
    {
      name: "other-header",
      takes: "name:value",
      many: true,
      secret: true,
      help: "Header that identifies a second caller",
    },
    ...shared,
  ],
  examples: [
    "parley conformance localhost:41241",
    "parley conformance localhost:41241 --only OP-SEND,RPC --verbose",
    'parley conformance agent.example --say "input-required=Book a table" -o json > report.json',
  ],
  async run(call) {
    const target = await readReference(referenceIn(call), call.io);
    applyInsecure(call);
    const report = await checkAgent(target, optionsOf(call));
    call.notes.clearProgress();
    if (report.checks.length === 0) throw usage("--only: no check covers any of these requirements");
    call.output.print(report, (page) => writeReport(page, report));
    const violated = violations(report);
    if (violated.length > 0)
      throw new Failure("PARLEY_ERR_NOT_CONFORMING", `The agent violates ${violated.join(", ")}`, {
        isShown: true,
      });
  },
};

function optionsOf(call: CommandCall): ConformanceOptions {
  const { values, signal, notes } = call;
  const [responseTimeout, protocol] = [values.seconds("response-timeout"), values.text("protocol")];
  return {
    fetch: callFetch(call),
    grpc: { tls: certificatesIn(call), wrap: (fetch) => loggedFetch(fetch, notes) },
    signal,
    ...(responseTimeout !== undefined && { responseTimeout }),
    ...(protocol !== undefined && { protocol }),
    credentials: credentialsIn(values, ""),
    otherCredentials: credentialsIn(values, "other-"),
    origins: values.texts("allow-origin"),
    only: values.texts("only").flatMap((text) => text.split(",").map((id) => id.trim())),
    hints: new Map(values.texts("say").map(hint)),
    onResult: ({ claim, over }: CheckResult, done, all) => notes.progress(`${done}/${all} ${over}: ${claim}`),
  };
}

function credentialsIn(values: Values, prefix: string): AuthorizerCredentials {
  const [bearer, apiKey] = [values.text(`${prefix}bearer`), values.text(`${prefix}api-key`)];
  const headers = values.texts(`${prefix}header`).map((text) => {
    const [name = "", ...value] = text.split(":");
    if (value.length === 0) throw usage(`--${prefix}header takes name:value`, "a header");
    return [name.trim(), value.join(":").trim()];
  });
  return {
    ...(bearer !== undefined && { bearer }),
    ...(apiKey !== undefined && { apiKey }),
    ...(headers.length > 0 && { headers: Object.fromEntries(headers) }),
  };
}

function hint(text: string): [Scenario, string] {
  const at = text.indexOf("=");
  const name = scenarioNames.find((one) => one === text.slice(0, Math.max(at, 0)));
  if (name === undefined) throw usage("--say takes scenario=text", scenarioNames.join(", "));
  return [name, text.slice(at + 1)];
}

/** Ids of the violated MUST requirements, which make the command fail. */
function violations({ requirements }: ConformanceReport): readonly string[] {
  return requirements
    .filter(({ level, verdict }) => level === "MUST" && verdict === "violated")
    .map(({ id }) => id);
}
