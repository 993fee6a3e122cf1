import assert from "node:assert/strict";
import { describe, test } from "vitest";
import { serveProbe } from "../../support/probe.js";
import { openInspector, skip } from "./open-page.js";

describe.skipIf(skip)("the card", () => {
  test("is shown in words, as JSON, by requirement, by place and by what has changed", async (t) => {
    const { page, show, look } = await openInspector(t, { agent: await serveProbe(t) });
    await page.getByText("Probe agent").first().waitFor();
    await show("Card");
    await page.getByRole("heading", { name: "Where it is reached" }).waitFor();
    assert.equal(await page.getByRole("heading", { name: "Skills (1)" }).count(), 1);
    await look("card");
    await page.getByRole("tab", { name: "JSON" }).click();
    await page.getByText("Probe agent").last().waitFor();
    await look("card-json");
    await page.getByRole("tab", { name: "Checks" }).click();
    await page.getByText("The card meets every requirement that could be checked.").waitFor();
    const row = page.getByRole("row", { name: /the card has the media type application\/json/ });
    assert.match((await row.textContent()) ?? "", /^Met.*§8\.2.*DISC-03/);
    await look("card-checks");
    await page.getByRole("tab", { name: "Places and versions" }).click();
    assert.ok((await page.getByText("/.well-known/agent.json").count()) >= 1);
    await look("card-places");
    await page.getByRole("button", { name: "Show" }).first().click();
    await page.getByRole("dialog").getByText("Probe agent").waitFor();
    await page.keyboard.press("Escape");
    await page.getByRole("tab", { name: "Signatures" }).click();
    await page.getByText("The card is not signed.").waitFor();
    await page.getByRole("tab", { name: "Changes" }).click();
    await page.getByText("This card is new here.").waitFor();
    await page.getByRole("button", { name: "Read it again" }).click();
    await page.getByText("Nothing has changed").waitFor();
    await look("card-changes");
    const file = { name: "old.json", mimeType: "application/json", buffer: Buffer.from('{"name":"Old"}') };
    await page.getByLabel("Compare with a saved card").setInputFiles(file);
    await page.getByRole("row", { name: /changed name/ }).waitFor();
    await look("card-difference");
  });

  test("for callers whom the agent knows is fetched and compared", async (t) => {
    const { page, show, look } = await openInspector(t, { agent: await serveProbe(t) });
    await page.getByText("Probe agent").first().waitFor();
    await show("Card");
    await page.getByRole("tab", { name: "Extended card" }).click();
    await page.getByRole("button", { name: "Ask for the extended card" }).click();
    await page.getByRole("heading", { name: "The whole extended card" }).waitFor();
    await look("card-extended");
  });
});
