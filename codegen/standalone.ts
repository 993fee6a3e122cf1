import { readdir, readFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { emitStandalone, type Outputs } from "./emit.js";
import type { Contract } from "./import/contract.js";
import { specOf } from "./import/contract-spec.js";
import { ImportError } from "./import/official.js";
import { openArtifact } from "./import/open-artifact.js";
import { isObject } from "./normalize/members.js";

/** Options of {@link generateStandalone}. */
export interface StandaloneOptions {
  /** Path of a file that upstream publishes, or of one of the two documents of a version in `schema/`. */
  readonly file: string;
  /** The path as the user wrote it. */
  readonly shown: string;
  /** Version that the file defines, `Major.Minor`; by default the version that it resembles most. */
  readonly version?: string;
  /** Whether to accept a file that seems to be the wrong one. */
  readonly force: boolean;
  /** First line of every file. */
  readonly banner: string;
}

/** Generated code of one version. */
export interface Standalone {
  /** Files by name. */
  readonly files: Outputs;
  readonly version: string;
  /** Description of the file. */
  readonly form: string;
  /** Facts that the file does not state, and their sources. */
  readonly notes: readonly string[];
}

/** The two documents of a version. */
const documents = ["a2a.schema.json", "operations.json"] as const;

/**
 * Generates the code of one version for other projects. It does not import this library.
 * @param root folder with the `schema/` from which comes what a published file cannot say
 * @throws ImportError or SchemaError when nothing can be generated from the file; each line of the message is a reason
 */
export async function generateStandalone(root: string, options: StandaloneOptions): Promise<Standalone> {
  const { shown, banner } = options;
  const { contract, version, place, form, notes } =
    (await readOwn(options)) ?? (await readPublished(root, options));
  const spec = specOf(contract, version, place);
  const origin = {
    file: basename(shown),
    banner: `${banner}// Protocol ${version}, from ${basename(shown)}.\n`,
  };
  return { files: await emitStandalone({ ...spec, origin }), version, form, notes };
}

interface Found extends Omit<Standalone, "files"> {
  readonly contract: Contract;
  readonly place: string;
}

/** A version in the form of `schema/`; undefined when the file is none of its two documents. */
async function readOwn({ file, shown, version }: StandaloneOptions): Promise<Found | undefined> {
  const text = await readFile(file, "utf8");
  const isOwn = /"x-protocol-version"\s*:/.test(text) || /"commonErrors"\s*:/.test(text);
  if (!isOwn || !text.trimStart().startsWith("{")) return undefined;
  const [schema, operations] = await Promise.all(documents.map((name) => readDocument(name, file, shown)));
  // The documents are checked when they are converted to the spec model.
  const contract = { schema, operations } as unknown as Contract;
  const said = String(contract.schema["x-protocol-version"]);
  if (version !== undefined && version !== said)
    throw new ImportError(`the file is of version ${said}, not ${version}`);
  const place = `${dirname(shown)}/`;
  return { contract, version: said, place, form: `schema of Parley, version ${said}`, notes: [] };
}

async function readDocument(name: string, file: string, shown: string): Promise<object> {
  const path = basename(file) === name ? file : join(dirname(file), name);
  const text = await readFile(path, "utf8").catch(() => {
    throw new ImportError(
      `${dirname(shown)} has no ${name}: a version has two documents, ${documents.join(" and ")}`,
    );
  });
  try {
    const document: unknown = JSON.parse(text);
    if (isObject(document)) return document;
  } catch (error) {
    throw new ImportError(`${name}: not JSON: ${error instanceof Error ? error.message : String(error)}`);
  }
  throw new ImportError(`${name}: not a JSON object`);
}

async function readPublished(
  root: string,
  { file, shown, version, force }: StandaloneOptions,
): Promise<Found> {
  const base = await draftOf(root, version);
  const question = {
    file,
    force,
    ...(version !== undefined && { version }),
    ...(base !== undefined && { base }),
  };
  const { official, base: before, merged } = await openArtifact(root, question, "generate");
  return {
    contract: merged.contract,
    version: version ?? before.schema["x-protocol-version"],
    place: `${shown}: `,
    form: official.form,
    notes: [...merged.notes, ...merged.decisions],
  };
}

/** The draft of a version that has no schema of its own yet: it has the errors and limits that a version before it lacks. */
async function draftOf(root: string, version = ""): Promise<string | undefined> {
  const folders = await readdir(join(root, "schema"));
  const draft = `${version}-draft`;
  return !folders.includes(`v${version}`) && folders.includes(`v${draft}`) ? draft : undefined;
}
