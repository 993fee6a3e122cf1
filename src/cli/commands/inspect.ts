import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { omitUndefined } from "../../json/omit.js";
import { readReference } from "../agent-reference.js";
import type { Command, CommandCall } from "../command.js";
import { warnOfTrust } from "../connect-agent.js";
import { agentCard, requestOptions } from "../options.js";
import { untilInterrupted } from "../until-interrupted.js";
import { certificatesIn } from "../wire-log.js";

const certificates = requestOptions.filter(({ name }) =>
  ["client-cert", "client-key", "ca", "insecure"].includes(name),
);

/** `parley inspect`: serves the inspector to a browser on this machine. */
export const inspectCommand: Command = {
  path: ["inspect"],
  summary: "Open a page that shows an agent at work, until Ctrl+C",
  args: [{ name: "ref", optional: true, help: "The agent, as --agent-card takes it" }],
  options: [
    agentCard,
    { name: "port", takes: "n", otherwise: "any free one", help: "Port to listen on, on this machine" },
    { name: "no-open", help: "Only print the URL, and open no browser" },
    {
      name: "allow-private",
      explicit: true,
      help: "Call agents on this machine and in private networks, besides one on this machine that is named here",
    },
    ...certificates,
  ],
  examples: ["parley inspect localhost:41241", "parley inspect agent.example --no-open"],
  run,
};

async function run(call: CommandCall): Promise<void> {
  const { words, values, io, output, notes, signal } = call;
  const reference = words[0] ?? values.text("agent-card");
  const agent = reference === undefined ? undefined : await readReference(reference, io);
  warnOfTrust(call);
  const { ca, cert, key } = certificatesIn(call);
  // A server with all its checks, which no other command needs.
  const { inspect } = await import("../../inspector/local-server.js");
  const inspector = await inspect({
    ...omitUndefined({ agent, ca, port: values.count("port"), folder: io.inspectorPage }),
    allowPrivate: values.isOn("allow-private"),
    ...(cert !== undefined && key !== undefined && { certificate: { cert, key } }),
  });
  const { url } = inspector;
  output.print({ url }, (page) => page.field("Inspector", url));
  const browser = values.isOn("no-open") ? undefined : openBrowser(url, io.open);
  if (browser === undefined) notes.hint("open this URL in a browser on this machine");
  await untilInterrupted(signal);
  browser?.close();
  await inspector.close();
}

/**
 * Opens a browser by a file that leads to the page: others can read the arguments of a process, and the URL has the token.
 * @returns undefined where there is no browser
 */
function openBrowser(url: string, open: (page: URL) => boolean): { close(): void } | undefined {
  const folder = mkdtempSync(join(tmpdir(), "parley-inspector-"));
  const close = () => rmSync(folder, { recursive: true, force: true });
  const file = join(folder, "open.html");
  const text = `<!doctype html><title>Inspector</title><meta http-equiv="refresh" content="0; url=${url}">\n`;
  writeFileSync(file, text, { mode: 0o600 });
  if (open(pathToFileURL(file))) return { close };
  close();
  return undefined;
}
