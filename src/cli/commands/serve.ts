import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import { serve as listen } from "../../server/serve.js";
import type { Command } from "../command.js";
import { fileFailure } from "../failure.js";
import { echo, mockAgent, readMockFile } from "../mock-agent.js";
import { untilInterrupted } from "../until-interrupted.js";

/** `parley serve`: an agent to try commands and clients on. */
export const serve: Command = {
  path: ["serve"],
  aliases: [["demo-server"]],
  summary: "Serve a mock agent, until Ctrl+C",
  args: [{ name: "file", optional: true, help: "JSON with a card and rules; an echo without it" }],
  options: [
    { name: "port", takes: "n", fallback: "41241", help: "Port to listen on; 0 for any free one" },
    { name: "host", takes: "address", fallback: "127.0.0.1", help: "Address to listen on" },
    { name: "allow-webhooks", help: "Also send push notifications to this machine and by plain http" },
  ],
  examples: ["parley serve", "parley serve agent.json --port 0 -o json"],
  async run({ words, values, io, output, notes, signal }) {
    const [path] = words;
    const file = path === undefined ? echo : readMockFile(await textOf(resolve(io.folder, path)));
    const near = values.isOn("allow-webhooks");
    const server = await listen(mockAgent(file), {
      port: values.count("port") ?? 0,
      host: values.text("host") ?? "127.0.0.1",
      push: near ? { allowHttp: true, allowPrivateNetworks: true } : {},
      logger: notes.logger,
    });
    output.print({ url: server.url }, (page) => page.field("Listening", server.url));
    await untilInterrupted(signal);
    await server.close(0);
  },
};

async function textOf(path: string): Promise<string> {
  return readFile(path, "utf8").catch((cause: unknown) => {
    throw fileFailure(`${path} cannot be read`, cause);
  });
}
