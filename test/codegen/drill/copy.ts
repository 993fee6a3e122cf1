import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import ts from "typescript";
import { writeReference } from "../../../codegen/docs/write-reference.js";
import { emit } from "../../../codegen/emit.js";
import { loadVersions } from "../../../codegen/load.js";
import { normalize } from "../../../codegen/normalize.js";

/** Codegen, for the new version alone, nothing of the others having changed, and the reference of its schema. */
export async function generate(root: string, version: string): Promise<void> {
  const versions = normalize(await loadVersions(root));
  for (const [file, text] of await emit(versions, ({ folder }) => folder === `v${version}`)) {
    const path = join(root, "generated", file);
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, text);
  }
  await writeReference(root, { check: false });
}

/** Decides what is undecided in a table of decisions, except the rows of `open`. */
export async function decide(path: string, open?: string): Promise<void> {
  const rows = (await readFile(path, "utf8")).split("\n");
  const decided = rows.map((row) =>
    row.includes(`"${open}"`) ? row : row.replace(/: undecided,/, ": implemented,"),
  );
  const text = decided
    .join("\n")
    .replace(/import \{.*undecided \}/, "import { type DecisionsOn, implemented, undecided }");
  const isOpen = /: undecided,/.test(text);
  await writeFile(path, isOpen ? text : text.replace(", undecided }", " }"));
}

/** The versions in the card of an agent that a program of the copy serves. */
export async function listedVersions(root: string): Promise<string[]> {
  await writeFile(join(root, "card.ts"), cardProgram);
  const { stdout, stderr } = spawnSync(process.execPath, ["--import", "tsx", "card.ts"], {
    cwd: root,
    encoding: "utf8",
  });
  assert.ok(stdout, stderr);
  return JSON.parse(stdout);
}

const cardProgram = `
import { defineAgent, reply } from "./src/index.js";
import { serve } from "./src/server/index.js";

const agent = defineAgent({ card: { name: "A", description: "B" }, async *execute() { yield reply("x"); } });
const server = await serve(agent, { port: 0 });
const card = await (await fetch(server.url + "/.well-known/agent-card.json")).json();
await server.close();
process.stdout.write(JSON.stringify([...new Set(card.supportedInterfaces.map((one) => one.protocolVersion))]));
`;

let program: ts.Program | undefined;

/** What the compiler says about some folders and those below them, as `file: message`. */
export function compile(root: string, ...include: string[]): string[] {
  const { config } = ts.readConfigFile(join(root, "tsconfig.json"), ts.sys.readFile);
  const { options, fileNames } = ts.parseJsonConfigFileContent({ ...config, include }, ts.sys, root);
  program = ts.createProgram(fileNames, { ...options, skipLibCheck: true }, undefined, program);
  return [...program.getSyntacticDiagnostics(), ...program.getSemanticDiagnostics()].map(
    ({ file, messageText }) => {
      const where = file?.fileName.slice(root.length + 1);
      return `${where}: ${ts.flattenDiagnosticMessageText(messageText, " ").slice(0, 200)}`;
    },
  );
}
