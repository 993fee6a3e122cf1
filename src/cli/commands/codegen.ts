import { stat } from "node:fs/promises";
import { join, resolve } from "node:path";
import type { FoundSchemas } from "../codegen/contracts.js";
import type { Files } from "../codegen/generate.js";
import type { Problems } from "../codegen/problems.js";
import type { Command, CommandCall } from "../command.js";
import { Failure, fileFailure } from "../failure.js";
import { agentCard, callOptions, requestOptions } from "../options.js";
import { decodedCard, rawCard } from "../raw-card.js";

/** `parley codegen`: types and validators for the data of skills and extensions, or for the protocol itself. */
export const codegen: Command = {
  path: ["codegen"],
  summary:
    "Generate types, validators and a map of skills from JSON Schemas, or the code of the protocol from its definition",
  args: [
    { name: "folder", optional: true, help: "Folder with the schemas; without it those in the agent's card" },
  ],
  options: [
    { name: "out", takes: "folder", fallback: "generated", help: "Folder for the generated files" },
    { name: "js", help: "Write JavaScript with declarations, not TypeScript" },
    {
      name: "protocol",
      takes: "file",
      explicit: true,
      help: "Generate the protocol itself, from a2a.proto or a published JSON Schema",
    },
    {
      name: "protocol-version",
      takes: "X.Y",
      explicit: true,
      otherwise: "the version that the file resembles most",
      help: "Protocol version that the file of --protocol defines",
    },
    {
      name: "force",
      explicit: true,
      help: "Accept a file that --protocol refuses as possibly the wrong one",
    },
    { name: "check", explicit: true, help: "Write nothing; fail when the files are not up to date" },
    agentCard,
    ...requestOptions,
    ...callOptions.filter(({ name }) => name === "timeout"),
  ],
  examples: [
    "parley codegen schemas --out src/generated",
    "parley codegen --agent-card agent.example --out src/agent-example",
    "parley codegen --protocol a2a.proto --out src/a2a",
  ],
  async run(call) {
    const { values, io, output } = call;
    const protocol = values.text("protocol");
    // Loaded on demand, because the compilers are large.
    const { compareFolder, writeFolder } = await import("../codegen/output-folder.js");
    const made =
      protocol === undefined
        ? { files: await contractCode(call) }
        : await (await import("../codegen/protocol.js")).protocolCode(call, protocol);
    const { files } = made;
    const out = values.text("out") ?? "";
    const folder = resolve(io.folder, out);
    const difference = await compareFolder(folder, files);
    const changes = Object.entries(difference).flatMap(([kind, names]) =>
      (names as readonly string[]).map((name) => `${kind}: ${join(out, name)}`),
    );
    if (values.isOn("check")) {
      if (changes.length > 0)
        throw new Failure("PARLEY_ERR_STALE", `Not up to date: ${changes.join(", ")}`, { hint: REPEAT });
    } else {
      await writeFolder(folder, files, difference);
    }
    const names = [...files.keys()];
    output.print({ folder, ...made, files: names, ...difference }, (page) => {
      if ("form" in made) {
        page.field("From", `${made.form}, as protocol ${made.version}`);
        for (const note of made.notes) page.field("Note", note);
      }
      for (const name of [...difference.stale, ...difference.missing]) page.field("Wrote", join(out, name));
      for (const name of difference.extra) page.field("Removed", join(out, name));
      if (changes.length === 0) page.field("Up to date", `${names.length} files in ${out}`);
    });
  },
};

const REPEAT = "the same command without --check brings it up to date";

/** The code for the data of skills and extensions. */
async function contractCode(call: CommandCall): Promise<Files> {
  const { contractsOf } = await import("../codegen/contracts.js");
  const { generate } = await import("../codegen/generate.js");
  const { Problems } = await import("../codegen/problems.js");
  const problems = new Problems();
  const contracts = contractsOf(await schemasOf(call, problems), problems);
  return generate(contracts, call.values.isOn("js") ? "js" : "ts", problems);
}

async function schemasOf(call: CommandCall, problems: Problems): Promise<FoundSchemas> {
  const [shown] = call.words;
  if (shown === undefined) {
    const { schemasInCard } = await import("../codegen/contracts.js");
    return schemasInCard(decodedCard(await rawCard(call)), problems);
  }
  const folder = resolve(call.io.folder, shown);
  const found = await stat(folder).catch(() => undefined);
  if (found?.isDirectory() !== true) throw fileFailure(`${shown} is not a folder`);
  const { readSchemaFolder } = await import("../codegen/schema-folder.js");
  return readSchemaFolder(folder, shown.replace(/[\\/]+$/, ""), problems);
}
