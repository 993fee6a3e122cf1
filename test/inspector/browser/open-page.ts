import assert from "node:assert/strict";
import { appendFileSync } from "node:fs";
import { join } from "node:path";
import axe from "axe-core";
import type { Browser, BrowserContext, Page } from "playwright-core";
import { afterAll, type TestContext } from "vitest";
import { type InspectOptions, inspect } from "../../../src/inspector/local-server.js";
import { executable, startChromium } from "../../client/browser/chromium.js";
import { root } from "../../support/root.js";
import { builtPage, pictures } from "./built-page.js";

/** Whether there is no Chromium on this machine. */
export const skip = executable === undefined;
if (skip)
  process.stderr.write("Tests are skipped: no Chromium on this machine (Debian: apt-get install chromium)\n");

/** Milliseconds in which the page must show what a test waits for. */
const TIMEOUT = 60_000;

let started: Promise<Browser> | undefined;

/** The browser of a file of tests: every test has a context of its own in it. */
function browser(): Promise<Browser> {
  started ??= startChromium();
  return started;
}

afterAll(async () => (await started)?.close());

type Test = Pick<TestContext, "onTestFinished">;
type Theme = "light" | "dark";

/** Options of {@link openInspector}. */
export interface PageOptions extends InspectOptions {
  readonly theme?: Theme;
  readonly width?: number;
  /** URL of a page that another server has, instead of an inspector's own. */
  readonly at?: string;
}

/** A page that is open in the browser. */
export interface OpenInspector {
  readonly page: Page;
  readonly context: BrowserContext;
  /** URL of the page, with its token. */
  readonly url: string;
  /** Goes to a screen by the navigation. */
  show(screen: string): Promise<void>;
  /** Checks the screen by axe, in both themes, and keeps a picture of each. */
  look(name: string): Promise<void>;
}

/** Starts an inspector for one test and opens it in Chromium. Errors of the page fail the test. */
export async function openInspector(t: Test, options: PageOptions = {}): Promise<OpenInspector> {
  const { theme = "light", width = 1280, at, ...inspected } = options;
  const inspector = at === undefined ? await inspect({ folder: builtPage, ...inspected }) : undefined;
  const url = at ?? inspector?.url ?? "";
  const context = await (await browser()).newContext({
    ...{ viewport: { width, height: 850 }, colorScheme: theme, reducedMotion: "reduce" },
    ...{ locale: "en-GB", timezoneId: "UTC" },
    permissions: ["clipboard-read", "clipboard-write"],
  });
  context.setDefaultTimeout(TIMEOUT);
  const page = await context.newPage();
  const faults: string[] = [];
  page.on("pageerror", (error) => faults.push(error.stack ?? error.message));
  page.on("console", (message) => {
    if (/content security policy/i.test(message.text())) faults.push(message.text());
  });
  t.onTestFinished(async () => {
    await context.close();
    await inspector?.close();
    assert.deepEqual(faults, []);
  });
  await page.goto(url);
  const show = async (screen: string) => {
    await page.getByRole("navigation").getByRole("link", { name: screen, exact: true }).click();
    await page.getByRole("heading", { level: 1 }).waitFor();
  };
  return { page, context, url, show, look: (name) => lookAt(page, name) };
}

/** Pictures of docs/inspector.md. `PICTURES=docs npx vitest run --project=inspector` makes them anew. */
const published: ReadonlySet<string> = new Set([
  "card",
  "operations-side-by-side",
  "wire-frames",
  "task-earlier",
  "time-axis-cut",
]);

async function lookAt(page: Page, name: string): Promise<void> {
  // An editor measures its lines once it is in view, which the pictures of whole pages do not wait for.
  if ((await page.locator("dialog[open]").count()) === 0)
    for (const editor of await page.locator(".editor").all()) await editor.scrollIntoViewIfNeeded();
  if (process.env.PICTURES === "docs" && published.has(name))
    await page.screenshot({ path: join(root, "docs/pictures", `inspector-${name}.png`), fullPage: true });
  for (const theme of ["light", "dark"] as const) {
    await page.emulateMedia({ colorScheme: theme });
    await page.screenshot({ path: join(pictures, `${name}-${theme}.png`), fullPage: true });
    // The themes differ in their colours only.
    const rules = theme === "light" ? undefined : ["color-contrast"];
    assert.deepEqual(await violations(page, rules), [], `${name}, ${theme}`);
    appendFileSync(join(pictures, "checked.txt"), `${name}, ${theme}\n`);
  }
  await page.emulateMedia({ colorScheme: "light" });
}

/**
 * What axe finds on the page, a line each.
 * @param rules all of them by default
 */
async function violations(page: Page, rules?: readonly string[]): Promise<string[]> {
  if (!(await page.evaluate("'axe' in globalThis"))) await page.evaluate(axe.source);
  const options = JSON.stringify(rules === undefined ? {} : { runOnly: rules });
  const results = await page.evaluate<axe.AxeResults>(`axe.run(${options})`);
  return results.violations.flatMap(({ id, help, nodes }) =>
    nodes.map(({ target, failureSummary }) => `${id}: ${help}: ${target.join(" ")}: ${failureSummary}`),
  );
}
