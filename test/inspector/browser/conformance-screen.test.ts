import assert from "node:assert/strict";
import { describe, test } from "vitest";
import { serveProbe } from "../../support/probe.js";
import { openInspector, skip } from "./open-page.js";

describe.skipIf(skip)("conformance", () => {
  test("is run by the local server, and shown by requirement with the exchange", async (t) => {
    const { page, show, look } = await openInspector(t, { agent: await serveProbe(t) });
    await page.getByText("Probe agent").first().waitFor();
    await show("Conformance");
    await look("conformance-start");
    await page.getByLabel("Only these requirements").fill("OP-GET CARD-01");
    await page.getByRole("button", { name: "Check the agent" }).click();
    await page.getByRole("button", { name: "Save the report" }).waitFor({ timeout: 60_000 });
    const rows = page.getByRole("list", { name: "Requirements" }).getByRole("listitem");
    assert.ok((await rows.count()) >= 5, String(await rows.count()));
    assert.equal(await rows.filter({ hasText: "Violated" }).count(), 0);
    const row = rows.filter({ hasText: "OP-GET-02" });
    await row.locator("summary").first().click();
    await row
      .getByText(/^(GET|POST) http/)
      .first()
      .waitFor();
    await look("conformance");
    await page.getByLabel("Only with this text").fill("CARD-01");
    assert.equal(await rows.count(), 1);
    const saved = page.waitForEvent("download");
    await page.getByRole("button", { name: "Save the report" }).click();
    assert.equal((await saved).suggestedFilename(), "conformance.json");
  });
});
