import { compareVersions } from "../version-order.js";
import type { Contract, Definition } from "./contract.js";
import type { Merged } from "./merge.js";
import type { Official } from "./official.js";
import type { Artifact } from "./recognise.js";

/** What is asked of an artifact: without a version its own is found out; what is written needs it to be the one that was meant. */
export type Purpose = "compare" | "import" | "generate";

/** What may be wrong with an artifact. */
interface Suspect {
  readonly artifact: Artifact;
  readonly official: Official;
  readonly base: Contract;
  readonly version: string;
  readonly purpose: Purpose;
  readonly merged: Merged;
}

/** An import that removes more than this part of what is there needs `--force`. */
const most = 0.25;

/**
 * Reasons to believe that a file is not the one that was meant: another protocol, another version, parts that are missing. A
 * comparison does not mind what is gone: it reports that. A version before the one it is compared with lacks what came later.
 */
export function doubtsAbout({ artifact, official, base, version, purpose, merged }: Suspect): string[] {
  const checked = base.schema["x-protocol-version"];
  const foreign = isForeign(official, base);
  const mayLack = foreign || purpose === "compare" || compareVersions(version, checked) < 0;
  return [
    ...(official.doubts ?? []),
    ...(artifact.isOf(version) ? [] : [`the file is of version ${artifact.claims}, not ${version}`]),
    ...(foreign
      ? [`the file is of another protocol: it has no operation and hardly a type of ${checked}`]
      : []),
    ...(mayLack ? [] : removals(base, merged.contract)),
  ];
}

function isForeign({ definitions, operations }: Official, { schema, operations: known }: Contract): boolean {
  const shares =
    operations?.some((row) => known.operations.some(({ method }) => method === row.method)) ?? false;
  const names = Object.keys(definitions);
  const common = names.filter((name) => Object.hasOwn(schema.$defs, name)).length;
  return !shares && common < names.length / 2;
}

function removals(before: Contract, after: Contract): string[] {
  const names = (contract: Contract): Record<string, string[]> => ({
    operations: contract.operations.operations.map(({ method }) => method),
    definitions: Object.keys(contract.schema.$defs),
    members: Object.entries(contract.schema.$defs).flatMap(([name, definition]) =>
      membersOf(name, definition),
    ),
  });
  const [old, now] = [names(before), names(after)];
  return Object.entries(old).flatMap(([what, list]) => {
    const kept = new Set(now[what]);
    const gone = list.filter((name) => !kept.has(name)).length;
    return gone > list.length * most
      ? [`${gone} of ${list.length} ${what} of ${before.schema["x-protocol-version"]} are gone`]
      : [];
  });
}

function membersOf(name: string, { properties = {}, enum: values = [] }: Definition): string[] {
  return [...Object.keys(properties), ...values].map((member) => `${name}.${member}`);
}
