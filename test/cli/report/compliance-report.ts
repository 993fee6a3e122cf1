import { stringify } from "yaml";
import { localExits } from "../../../src/cli/failure.js";
import type { RanTest } from "../../requirements/citations.js";
import { contract, type Requirement, registry } from "./registry.js";

/** What was found of a requirement, in the words of the contract. */
type Status = "pass" | "fail" | "not_measured" | "na";

/** Facts about the run that the tests do not know. */
export interface RunFacts {
  readonly version: string;
  /** Day of the report, `2026-08-17`. */
  readonly date: string;
}

const TOOL = "parley (a2a-parley)";
const MAINTAINER = "the maintainers of a2a-parley";

/** Requirements that do not apply to this tool, and why. */
const inapplicable: Readonly<Record<string, string>> = {
  A2ACLI_SKILL_001: "The tool ships no agent skill.",
  A2ACLI_SKILL_002: "The tool ships no agent skill.",
};

/** What a reader has to know although the tests pass. */
const remarks: Readonly<Record<string, string>> = {
  A2ACLI_VER_001:
    "Stated deviation: an agent that offers no interface of 1.x, which the contract does not cover, is called in the version of its card, with a warning on stderr. Satisfied without deviation under --a2a-min-version 1.0 or A2ACLI_A2A_MIN_VERSION=1.0, which refuses such agents before anything is sent.",
  A2ACLI_CONFORM_001:
    "Checks by the rules of the protocol, reported by requirement; the official kit is not run.",
};

/** Requirements that are not implemented, and what is missing. A test that cites one of them takes its place. */
const absent: Readonly<Record<string, string>> = {
  A2ACLI_CARD_GET_005: "Catalogs are read (host#name), registries are not.",
};

const defaults = {
  transport_server_preference_order: "--transport",
  task_completion_wait_by_default: "--async",
  output_human_readable_text: "--output",
  detail_level_concise: "--verbose",
  protocol_version_highest_mutual: "--a2a-version, --a2a-min-version; see A2ACLI_VER_001",
  transport_security_tls_on: "--insecure, which warns",
} as const;

const citation = /^(A2ACLI_[A-Z]+(?:_[A-Z]+)*_\d{3}(?:, A2ACLI_[A-Z]+(?:_[A-Z]+)*_\d{3})*): \S/;

/** The requirements that the name of a test cites: `A2ACLI_SEND_001, A2ACLI_OUT_005: text`. */
export function citedIn(name: string): string[] {
  return citation.exec(name)?.[1]?.split(", ") ?? [];
}

/**
 * The report of compliance, as YAML in the form of the contract: each requirement as the tests that cite it ended. One that no test cites
 * is not measured, and one with a failed or skipped test has not passed.
 *
 * @throws Error when a test cites what the contract does not have
 */
export function complianceReport(tests: readonly RanTest[], { version, date }: RunFacts): string {
  const byId = new Map<string, RanTest[]>(registry.map(({ id }) => [id, []]));
  for (const test of tests) {
    for (const id of citedIn(test.name)) {
      const cited = byId.get(id);
      if (cited === undefined)
        throw new Error(`${test.file}: "${test.name}" cites ${id}, which does not exist`);
      cited.push(test);
    }
  }
  const results = registry.map((requirement) => ({
    requirement,
    ...resultOf(requirement, byId.get(requirement.id) ?? []),
  }));
  const summary = ([1, 2, 3] as const).map((tier) => {
    const of = results.filter(({ requirement }) => requirement.tier === tier).map(({ status }) => status);
    const count = (status: Status) => of.filter((one) => one === status).length;
    const counts = {
      ...{ total: of.length, pass: count("pass"), partial: 0, fail: count("fail") },
      ...{ not_measured: count("not_measured"), na: count("na") },
    };
    return { ...counts, satisfied: counts.pass + counts.na === counts.total };
  });
  const unsatisfied = summary.findIndex(({ satisfied }) => !satisfied);
  const tierClaimed = unsatisfied === -1 ? summary.length : unsatisfied;
  const document = {
    report: {
      ...{ tool: TOOL, tool_version: version, language: "TypeScript", repository: null },
      ...{ maintainer: MAINTAINER, report_date: date },
      ...{ spec_version: contract.version, spec_revision: contract.revision, a2a_versions: ["1.0"] },
      agent_tested: "agents of this package, served by its tests over loopback",
      agent_tck_conformant: "unknown",
      transports_covered: ["HTTP+JSON", "JSON-RPC"],
      ...{ tier_claimed: tierClaimed === 0 ? "none" : tierClaimed, designation: "conformant" },
    },
    summary: Object.fromEntries(summary.map((counts, index) => [`tier_${index + 1}`, counts])),
    requirements: Object.fromEntries(
      results.map(({ requirement: { id, tier, spec, about }, ...result }) => [
        id,
        { tier, area: id.slice("A2ACLI_".length, -4), spec, requirement: about, ...result },
      ]),
    ),
    default_001_breakdown: Object.fromEntries(
      Object.entries(defaults).map(([name, note]) => [name, { shipped: "yes", overridable: "yes", note }]),
    ),
    error_codes: Object.fromEntries(
      Object.keys(localExits)
        .filter((code) => code.startsWith("A2ACLI_ERR_"))
        .map((code) => [code, { emitted: "yes", note: null }]),
    ),
    attestation: {
      ...{ reported_by: `${MAINTAINER}, by npm run cli-report`, date },
      statement: "The tier claimed reflects the evidence recorded above.",
    },
  };
  return stringify(document, { lineWidth: 0 });
}

function resultOf({ id }: Requirement, tests: readonly RanTest[]) {
  const status = statusOf(id, tests);
  const files = [...new Set(tests.map(({ file }) => file))].sort();
  const missing = tests.length === 0 ? (absent[id] ?? "No test cites it.") : "Not every test passed.";
  return {
    status,
    note: inapplicable[id] ?? (status === "pass" ? (remarks[id] ?? null) : missing),
    evidence: files.length === 0 ? null : files.join(", "),
  };
}

function statusOf(id: string, tests: readonly RanTest[]): Status {
  if (id in inapplicable) return "na";
  if (tests.some(({ status }) => status === "fail")) return "fail";
  if (tests.length > 0 && tests.every(({ status }) => status === "pass")) return "pass";
  return id in absent && tests.length === 0 ? "fail" : "not_measured";
}

/** A report for comparison: the day on which it was made says nothing. */
export function withoutDates(report: string): string {
  return report.replaceAll(/^( *(?:report_)?date): .*$/gm, "$1:");
}
