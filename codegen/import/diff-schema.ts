import { readFile } from "node:fs/promises";
import type { RunResult } from "../run.js";
import type { Change } from "./change.js";
import { checkedIn } from "./checked-in.js";
import { compare } from "./compare.js";
import { compareWire } from "./compare-wire.js";
import type { Contract } from "./contract.js";
import { merge } from "./merge.js";
import { ImportError } from "./official.js";
import { type Artifact, recognise } from "./recognise.js";
import { describeChanges } from "./report.js";

/** What to compare. */
export interface DiffOptions {
  /** Path of the artifact. */
  readonly file: string;
  /** `Major.Minor`; the newest version that the artifact fits when absent. */
  readonly version?: string;
}

/**
 * Compares an official artifact with the checked-in schema of the same version; any difference ends with exit code 1. What the
 * artifact cannot say is no difference.
 */
export async function diffSchema(root: string, { file, version }: DiffOptions): Promise<RunResult> {
  try {
    const artifact = recognise(await readFile(file, "utf8"));
    const contracts = await checkedIn(root);
    const contract = version === undefined ? newestFit(artifact, contracts) : contracts.get(version);
    if (contract === undefined)
      throw new ImportError(`schema/ holds no version ${version ?? "that it fits"}`);
    const changes = differences(artifact, contract);
    const checked = contract.schema["x-protocol-version"];
    return {
      lines: [`${file} against schema/v${checked}`, ...describeChanges(changes)],
      exitCode: changes.length === 0 ? 0 : 1,
    };
  } catch (error) {
    if (!(error instanceof ImportError)) throw error;
    return { lines: [`${file} cannot be compared:`, ...error.message.split("\n")], exitCode: 1 };
  }
}

function newestFit(artifact: Artifact, contracts: ReadonlyMap<string, Contract>): Contract | undefined {
  return [...contracts.values()].findLast((contract) => artifact.fits(contract));
}

/** What an artifact says otherwise than a contract: what an import over it would change. */
function differences(artifact: Artifact, contract: Contract): Change[] {
  const official = artifact.read(contract);
  if (artifact.nameless) return compareWire(contract, official);
  return compare(contract, merge(official, contract, contract.schema["x-protocol-version"]).contract);
}
