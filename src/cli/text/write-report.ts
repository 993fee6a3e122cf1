import type { CheckResult, ConformanceReport } from "../../conformance/report.js";
import type { Page } from "./page.js";

/** Writes a conformance report: totals, violations, what could not be checked and, in verbose mode, what is met. */
export function writeReport(page: Page, report: ConformanceReport): void {
  page.field("Agent", report.agent.name);
  page.field("URL", report.agent.url);
  page.field("Protocol", report.protocolVersion);
  page.field("Bindings", report.bindings.join(", "));
  for (const [level, { met, violated, unprovoked }] of Object.entries(report.counts))
    page.field(level, `${met} met, ${violated} violated, ${unprovoked} not provoked`);
  const { checks } = report;
  for (const check of checks.filter(({ verdict }) => verdict === "violated")) writeViolation(page, check);
  const unseen = checks.filter(({ verdict }) => verdict === "unprovoked");
  if (unseen.length > 0) page.block("Not provoked", unseen.map(lineOf).join("\n"));
  if (page.isVerbose)
    page.block(
      "Met",
      checks
        .filter(({ verdict }) => verdict === "met")
        .map(lineOf)
        .join("\n"),
    );
}

function lineOf({ ids, over, claim, found }: CheckResult): string {
  return `${ids.join(", ")} (${over}): ${claim}${found === undefined ? "" : `; ${found}`}`;
}

function writeViolation(page: Page, check: CheckResult): void {
  const { ids, over, claim, found, exchanges } = check;
  const shown = page.isVerbose ? exchanges : exchanges.slice(-1);
  const lines = shown.flatMap(({ method, url, requestBody, status, responseBody }) => [
    `> ${method} ${url}`,
    ...(requestBody === undefined ? [] : [`> ${requestBody}`]),
    `< ${status === undefined ? "no answer" : `HTTP ${status}`}`,
    ...(responseBody === undefined ? [] : [`< ${responseBody.trimEnd()}`]),
  ]);
  page.block(`${ids.join(", ")} (${over})`, [`expected: ${claim}`, `found: ${found}`, ...lines].join("\n"));
}
