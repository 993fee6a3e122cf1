import assert from "node:assert/strict";
import { describe, test } from "vitest";
import { serveProbe } from "../../support/probe.js";
import { openInspector, skip } from "./open-page.js";

describe.skipIf(skip)("the wire", () => {
  test("has every exchange with headers, bodies, bytes, and frames with ids and times", async (t) => {
    const { page, show, look } = await openInspector(t, { agent: await serveProbe(t) });
    await page.getByText("Probe agent").first().waitFor();
    await show("Operations");
    await page.getByLabel("Operation").selectOption("SendStreamingMessage");
    await page.getByLabel("text", { exact: true }).fill("stream 3");
    await page.getByRole("button", { name: "Send", exact: true }).click();
    await page.getByText("Answered").waitFor();
    await show("Wire");
    await page.getByRole("tab", { name: /^Frames \(\d+\)/ }).waitFor();
    await look("wire-frames");
    await page.getByRole("button", { name: /^1 / }).click();
    assert.match((await page.getByLabel("Frame as it came").textContent()) ?? "", /^(?:id|data): /);
    await page.getByRole("tab", { name: "Request" }).click();
    await page.getByRole("row", { name: /^a2a-version/i }).waitFor();
    await look("wire-request");
    await page.getByRole("tab", { name: "Response" }).click();
    await page.getByText("HTTP/1.1").waitFor();
    await page.getByRole("tab", { name: "Bytes" }).click();
    await page.getByText(/^00000000 {2}/).waitFor();
    await look("wire-bytes");
    await page.getByLabel("Only with this text").fill("card");
    await page.getByText(/^1 of 2 exchanges/).waitFor();
    await page.getByRole("link", { name: /^200 ?Card/ }).click();
    await page.getByRole("heading", { level: 2, name: "Card", exact: true }).waitFor();
    await page.getByRole("button", { name: "Forget all" }).click();
    await page.getByText("Nothing has gone over the line yet.").waitFor();
  });
});
