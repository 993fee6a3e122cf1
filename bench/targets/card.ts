/** The card of the agent that all targets serve, as far as all of them write it the same. */
export const name = "Benchmark agent";
export const description = "Does what the text of a message says.";
export const skill = {
  id: "script",
  name: "Script",
  description: "Echoes, makes tasks, streams.",
  tags: ["benchmark"],
};

/** The whole card, for targets that have nobody to write it. */
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
