import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { ClientError } from "../../client/client-error.js";
import { omitUndefined } from "../../json/omit.js";
import { agentIn, readReference } from "../agent-reference.js";
import type { Command, CommandCall } from "../command.js";
import { applyInsecure } from "../connect-agent.js";
import { agentCard, requestOptions } from "../options.js";
import type { Io } from "../output.js";
import { untilInterrupted } from "../until-interrupted.js";
import { certificatesIn } from "../wire-log.js";

const certificates = requestOptions.filter(({ name }) =>
  ["client-cert", "client-key", "ca", "insecure"].includes(name),
);

/** `parley inspect`: serves the inspector to a browser on this machine. */
export const inspectCommand: Command = {
  path: ["inspect"],
  summary: "Open a page that calls an agent and shows what is sent and received, until Ctrl+C",
  args: [{ name: "ref", optional: true, help: "The agent, as --agent-card takes it" }],
  options: [
    agentCard,
    { name: "port", takes: "n", otherwise: "any free one", help: "Port to listen on, on this machine" },
    { name: "no-open", help: "Only print the URL, without opening a browser" },
    {
      name: "allow-private",
      explicit: true,
      help: "Allow calls to this machine and to private networks; an agent that is named here on this machine may be called anyway",
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
  if (agent instanceof URL) await checkHost(agent, io);
  applyInsecure(call);
  const { ca, cert, key } = certificatesIn(call);
  // Loaded on demand, because no other command needs the server of the inspector.
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
 * Refuses a host that does not exist. An agent that does not run yet is no error: the page shows it, and connects again.
 * @throws Failure for an invalid name of an agent
 * @throws ClientError UNREACHABLE for a host that does not exist
 */
async function checkHost(agent: URL, io: Io): Promise<void> {
  agentIn(agent);
  const host = agent.hostname.replace(/^\[(.*)\]$/, "$1");
  await io.lookup(host).catch((cause: Error & { code?: string }) => {
    if (cause.code !== "ENOTFOUND") return;
    throw new ClientError("UNREACHABLE", `${agent.href} cannot be reached (ENOTFOUND)`, { cause });
  });
}

/**
 * Opens a browser with a temporary file that redirects to the page. The URL contains the token, and other users can read the arguments
 * of a process.
 * @returns a handle that deletes the file; undefined if there is no browser
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
