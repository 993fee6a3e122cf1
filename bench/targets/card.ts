/** The members of the card that are the same in all targets. */
export const name = "Benchmark agent";
export const description = "Does what the text of a message says.";
export const skill = {
  id: "script",
  name: "Script",
  description: "Echoes, makes tasks, streams.",
  tags: ["benchmark"],
};

/** The complete card, for targets without an SDK that builds it. */
export function plainCard(url: string): object {
  return {
    name,
    description,
    version: "1.0.0",
    supportedInterfaces: [
      { url, protocolBinding: "JSONRPC", protocolVersion: "1.0" },
      { url, protocolBinding: "HTTP+JSON", protocolVersion: "1.0" },
    ],
    capabilities: { streaming: true },
    defaultInputModes: ["text/plain"],
    defaultOutputModes: ["text/plain"],
    skills: [skill],
  };
}
