import { readFile } from "node:fs/promises";
import { isDraft, predecessorOf } from "../version-order.js";
import type { Change } from "./change.js";
import { baseOf, checkedIn } from "./checked-in.js";
import { compare } from "./compare.js";
import { compareWire } from "./compare-wire.js";
import type { Contract } from "./contract.js";
import { doubtsAbout, type Purpose } from "./doubts.js";
import { type Merged, merge, type Told } from "./merge.js";
import { mergeWire } from "./merge-wire.js";
import { ImportError, type Official } from "./official.js";
import { type Artifact, recognise } from "./recognise.js";
import { readTexts, reportText, type TextReport, type Texts } from "./report-text.js";

/** The artifact to read, and the version to compare it with. */
export interface Question extends Told {
  /** Path of the artifact. */
  readonly file: string;
  /** `Major.Minor` that the artifact is of. */
  readonly version?: string;
  /** `Major.Minor` to compare with; the version itself, or else the newest before it, when absent. */
  readonly base?: string;
  /** Path of the text of the specification, in Markdown. */
  readonly text?: string;
  /** Path of the text of the version to compare with. */
  readonly baseText?: string;
  /** Whether to accept a file that seems to be the wrong one. */
  readonly force?: boolean;
}

/** An artifact, read and compared with a version that is checked in. */
interface Opened {
  readonly official: Official;
  readonly base: Contract;
  /** The versions that are checked in, oldest first. */
  readonly contracts: ReadonlyMap<string, Contract>;
  /** What an import writes. */
  readonly merged: Merged;
  /** What is otherwise in it than in `base`. */
  readonly changes: readonly Change[];
  /** What the text of the specification said; undefined when none was given. */
  readonly told?: TextReport;
}

/**
 * Reads an artifact for a comparison or an import: both see the same differences.
 * @throws ImportError when it cannot be read, or may not be the file that was meant
 */
export async function openArtifact(root: string, question: Question, purpose: Purpose): Promise<Opened> {
  const { file, version, force = false } = question;
  const artifact = recognise(await readFile(file));
  const text = await readTexts(question);
  if (text !== undefined && artifact.nameless)
    throw new ImportError("--text is read beside a file of 1.x: earlier versions have another form");
  const contracts = await checkedIn(root);
  const base = chooseBase(artifact, contracts, question, purpose);
  const official = artifact.read(base);
  const checked = base.schema["x-protocol-version"];
  const mergeInto = artifact.nameless ? mergeWire : merge;
  const own = version ?? checked;
  const plain = mergeInto(official, base, own, withErrors(question, text));
  const before = purpose === "compare" ? base : contracts.get(predecessorOf(own, contracts.keys()) ?? "");
  const told = text && reportText(text, { merged: plain, official, base, before });
  const merged = told?.merged ?? plain;
  refuseUnknownValues(question.fallbacks ?? new Map(), base, merged.contract);
  const changes = [...differences(artifact, official, base, merged), ...(told?.changes ?? [])];
  const replaced = contracts.get(own);
  const doubts = [
    ...doubtsAbout({ artifact, official, base, version: own, purpose, merged }),
    ...(purpose === "import" && replaced !== undefined && !artifact.isLike(replaced)
      ? [`schema/v${own} has another form: an import replaces it, and its codec no longer fits`]
      : []),
  ];
  if (doubts.length > 0 && !force) {
    const reasons = [
      ...doubts,
      ...(version === undefined
        ? [
            `it was compared with ${checked}, since no version is named; by its content it is of ${artifact.claims}`,
          ]
        : []),
    ];
    throw new ImportError([...reasons, "if this is the file that was meant, add --force"].join("\n"));
  }
  return { official, base, contracts, merged, changes, ...(told && { told }) };
}

/** Refuses unknown values of `--fallback`, because a misspelled one would have no effect. */
function refuseUnknownValues(
  fallbacks: ReadonlyMap<string, string>,
  before: Contract,
  after: Contract,
): void {
  const problems = [...fallbacks].flatMap(([path, fallback]) => {
    const [name = "", value = ""] = path.split(".");
    const now = after.schema.$defs[name]?.enum;
    if (now === undefined) return [`--fallback ${path}: there is no enum ${name}`];
    const known = [...now, ...(before.schema.$defs[name]?.enum ?? [])];
    const missing = [
      ...(known.includes(value) ? [] : [value]),
      ...(now.includes(fallback) ? [] : [fallback]),
    ];
    return missing.map((one) => `--fallback ${path}=${fallback}: ${name} has no value ${one}`);
  });
  if (problems.length > 0) throw new ImportError(problems.join("\n"));
}

/** Errors of the command line, and those of the text that it does not name. */
function withErrors({ errors = [], ...told }: Told, text: Texts | undefined): Told {
  const named = new Set(errors.map(({ name }) => name));
  return { ...told, errors: [...errors, ...(text?.now.errors ?? []).filter(({ name }) => !named.has(name))] };
}

function chooseBase(
  artifact: Artifact,
  contracts: ReadonlyMap<string, Contract>,
  { base, version }: Question,
  purpose: Purpose,
): Contract {
  const named = base ?? (purpose === "compare" ? version : undefined);
  const alike = new Map([...contracts].filter(([, contract]) => artifact.isLike(contract)));
  const contract =
    named !== undefined
      ? alike.get(named)
      : version !== undefined
        ? baseOf(alike, version)
        : nearest(
            artifact,
            released(alike).filter((candidate) => artifact.fits(candidate)),
          );
  if (contract === undefined && named !== undefined && contracts.has(named)) {
    throw new ImportError(
      `schema/v${named} has another form; one of ${[...alike.keys()].join(", ")} is named with --base`,
    );
  }
  if (contract === undefined) {
    const held = [...contracts.keys()].join(", ");
    throw new ImportError(`schema/ holds no version ${named ?? "that it fits"}, only ${held}`);
  }
  return contract;
}

/** The version from which an artifact differs least, and the newest one of several. */
function nearest(artifact: Artifact, candidates: readonly Contract[]): Contract | undefined {
  if (candidates.length < 2) return candidates[0];
  const counts = candidates.map((base) => {
    const official = artifact.read(base);
    const mergeInto = artifact.nameless ? mergeWire : merge;
    const merged = mergeInto(official, base, base.schema["x-protocol-version"], {});
    return differences(artifact, official, base, merged).length;
  });
  return candidates[counts.lastIndexOf(Math.min(...counts))];
}

function differences(artifact: Artifact, official: Official, base: Contract, merged: Merged): Change[] {
  return artifact.nameless ? [...compareWire(base, official).changes] : [...compare(base, merged.contract)];
}

function released(contracts: ReadonlyMap<string, Contract>): Contract[] {
  return [...contracts].filter(([version]) => !isDraft(version)).map(([, contract]) => contract);
}
