import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { type Problem, SchemaError } from "./problems.js";

/** A parsed file and the name to use in messages. */
export interface LoadedFile {
  readonly file: string;
  readonly content: unknown;
}

/** The files of one protocol version, parsed but not yet checked. */
export interface LoadedVersion {
  /** Folder name, such as `v1.0`. */
  readonly folder: string;
  readonly schema: LoadedFile;
  readonly operations: LoadedFile;
  /** The gRPC service, if its messages differ from those of the schema. */
  readonly grpc?: LoadedFile;
}

const versionFolder = /^v\d/;
const MISSING = "file is missing";

/**
 * Reads every version folder below `<root>/schema`, sorted by name.
 * @throws SchemaError with every file that is missing or is not JSON
 */
export async function loadVersions(root: string): Promise<LoadedVersion[]> {
  const problems: Problem[] = [];
  const versions: LoadedVersion[] = [];
  for (const folder of await versionFolders(join(root, "schema"))) {
    const schema = await loadJson(root, `schema/${folder}/a2a.schema.json`, problems);
    const operations = await loadJson(root, `schema/${folder}/operations.json`, problems);
    const grpc = await loadOptional(root, `schema/${folder}/grpc.json`, problems);
    versions.push({ folder, schema, operations, ...(grpc && { grpc }) });
  }
  if (versions.length === 0) {
    problems.push({ file: "schema", pointer: "", reason: "has no version folder such as schema/v1.0" });
  }
  if (problems.length > 0) throw new SchemaError(problems);
  return versions;
}

/** Names of the version folders in `directory`, sorted; empty when the directory does not exist. */
export async function versionFolders(directory: string): Promise<string[]> {
  try {
    const entries = await readdir(directory, { withFileTypes: true });
    return entries
      .filter((entry) => entry.isDirectory() && versionFolder.test(entry.name))
      .map((entry) => entry.name)
      .sort();
  } catch (error) {
    if (isMissing(error)) return [];
    throw error;
  }
}

async function loadJson(root: string, file: string, problems: Problem[]): Promise<LoadedFile> {
  try {
    return { file, content: JSON.parse(await readFile(join(root, file), "utf8")) };
  } catch (error) {
    const reason = isMissing(error) ? MISSING : error instanceof SyntaxError ? error.message : undefined;
    if (reason === undefined) throw error;
    problems.push({ file, pointer: "", reason });
    return { file, content: undefined };
  }
}

/** Loads a file that a version may lack. */
async function loadOptional(
  root: string,
  file: string,
  problems: Problem[],
): Promise<LoadedFile | undefined> {
  const found: Problem[] = [];
  const loaded = await loadJson(root, file, found);
  if (found.some(({ reason }) => reason === MISSING)) return undefined;
  problems.push(...found);
  return loaded;
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === "ENOENT";
}
