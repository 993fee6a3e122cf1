import { type AgentDefinition, type CardInput, defineAgent, type ExecutionContext } from "a2a-parley";
import { execute as probe } from "./execute.js";
import { identity } from "./identity.js";
import { readScript } from "./script.js";
import type { Settings } from "./settings.js";

/** The probe agent, declared as the settings say. */
export function probeAgent(settings: Settings): AgentDefinition {
  const { requiredExtension, streaming, extendedCard } = settings;
  const card: CardInput = {
    name: "Probe agent",
    description: "An agent whose behaviour a tester steers by what it sends.",
    version: "1.0.0",
    ...identity(settings).card,
    capabilities: {
      streaming,
      ...(requiredExtension && { extensions: [{ uri: requiredExtension, required: true }] }),
    },
    defaultInputModes: ["text/plain", "application/json", "application/octet-stream", "image/*"],
    defaultOutputModes: ["text/plain", "application/json"],
    skills: [
      {
        id: "probe",
        name: "Probe",
        description: "Does what the first words of the text say: echo, task, stream, ask, fail and more.",
        tags: ["test"],
        examples: ["echo hello", "stream 10", "ask"],
      },
    ],
  };
  const script = readScript(settings.script);
  const execute = (context: ExecutionContext) => probe(context, script);
  if (extendedCard === "off") return defineAgent({ card, execute });
  return defineAgent({
    card,
    execute,
    extendedCardForAnyone: extendedCard !== "auth",
    extendedCard: ({ skills }) =>
      extendedCard === "unconfigured" ? undefined : { skills: [...skills, steering] },
  });
}

/** The skill that only the extended card shows. */
const steering = {
  id: "conformance",
  name: "Conformance",
  description: "Is steered by the beginning of the message id, as test kits do it.",
  tags: ["test"],
};
