import assert from "node:assert/strict";
import { describe, test } from "vitest";
import { serveProbe } from "../../support/probe.js";
import { openInspector, skip } from "./open-page.js";

describe.skipIf(skip)("webhooks", () => {
  test("show each delivery with its verdicts, and that a failed one comes again", async (t) => {
    const agent = await serveProbe(t, { ALLOW_PRIVATE_WEBHOOKS: "on" });
    const { page, show, look } = await openInspector(t, { agent });
    await page.getByText("Probe agent").first().waitFor();
    await show("Webhooks");
    await page.getByLabel("Token", { exact: true }).fill("s3cret");
    await page.getByRole("button", { name: "Create webhook" }).click();
    await page.getByText("None yet.").waitFor();
    await look("webhooks-new");
    await page.getByRole("button", { name: "Answer 500 three times" }).click();
    await page.getByText("Answers 500 to the next 3 calls").waitFor();
    await page.getByLabel("Tasks of the conversation notify this webhook").check();
    await show("Conversation");
    await page.getByText("Tasks notify the webhook").waitFor();
    const box = page.getByLabel("Message", { exact: true });
    await box.fill("task");
    await box.press("Enter");
    await page.getByText("Completed").first().waitFor();
    await show("Webhooks");
    const rows = page.getByRole("table").getByRole("row");
    await rows
      .filter({ hasText: "Status: Completed" })
      .filter({ hasText: "Accepted" })
      .waitFor({ timeout: 60_000 });
    assert.equal(await rows.filter({ hasText: "told to fail" }).count(), 3);
    assert.ok((await rows.filter({ hasText: "repeated" }).count()) >= 1);
    assert.equal(await rows.filter({ hasText: "valid" }).count(), (await rows.count()) - 1);
    await look("webhooks");
    await page
      .getByRole("button", { name: /^Show delivery/ })
      .first()
      .click();
    await page.getByRole("heading", { name: "Headers" }).waitFor();
    await look("webhooks-delivery");
    await page.keyboard.press("Escape");
    await page.getByRole("button", { name: "Delete" }).click();
    await page.getByRole("table").waitFor({ state: "detached" });
  });
});
