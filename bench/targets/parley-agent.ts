import { type AgentDefinition, artifact, completed, defineAgent, reply, working } from "../../src/index.js";
import { description, name, skill } from "./card.js";
import { chunked, gate, gated, never, readCommand, tokens } from "./script.js";

/** The agent as an application defines it. */
export const agent: AgentDefinition = defineAgent({
  card: { name, description, version: "1.0.0", skills: [skill] },
  async *execute({ text }) {
    const command = readCommand(text);
    if (command.name === "echo") return reply(text);
    if (command.name === "open") gate(command.key).open();
    if (command.name === "open") return reply("opened");
    yield working();
    if (command.name === "task") yield artifact({ name: "result" }).text("done");
    if (command.name === "hold") await never;
    if (gated.has(command.name)) await gate(command.key).opened;
    const chunks = artifact({ name: "chunks" });
    for await (const token of tokens(command)) {
      yield chunked.has(command.name) ? chunks.text(token) : working(token);
      if (command.name === "large") yield artifact().text(token);
    }
    yield completed();
    return undefined;
  },
});
