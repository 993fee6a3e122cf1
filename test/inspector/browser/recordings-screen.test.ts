import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { describe, test } from "vitest";
import { connect } from "../../../src/client/index.js";
import { readRecording, replay } from "../../../src/testing/index.js";
import { serveProbe } from "../../support/probe.js";
import { openInspector, skip } from "./open-page.js";

describe.skipIf(skip)("recordings", () => {
  test("are saved, replayed by the test kit, opened again, and compared event by event", async (t) => {
    const agent = await serveProbe(t);
    const { page, show, look } = await openInspector(t, { agent });
    await page.getByText("Probe agent").first().waitFor();
    const say = async (text: string, shown: string) => {
      await show("Conversation");
      const box = page.getByLabel("Message", { exact: true });
      await box.fill(text);
      await box.press("Enter");
      await page.getByText(shown, { exact: true }).last().waitFor();
      await page.getByText("First event after").last().waitFor();
      // The recorder publishes what it has a moment later.
      await page.waitForTimeout(200);
    };
    await say("task", "Completed");
    await show("Recordings");
    const saved = page.waitForEvent("download");
    await page.getByRole("button", { name: "Save as a file" }).click();
    const text = await readFile((await (await saved).path()) ?? "", "utf8");
    const file = readRecording(text);
    assert.deepEqual(
      file.exchanges.map(({ purpose }) => purpose),
      ["Card", "SendStreamingMessage"],
    );
    const client = await connect(file.agent.url, { fetch: replay(file.exchanges) });
    assert.equal((await client.stream("task").result()).task?.status.state, "TASK_STATE_COMPLETED");
    await page.getByLabel("Recordings to open").setInputFiles([
      { name: "first.json", mimeType: "application/json", buffer: Buffer.from(text) },
      { name: "broken.json", mimeType: "application/json", buffer: Buffer.from("{}") },
    ]);
    await page.getByText("broken.json: The file is not a recording").waitFor();
    await page.getByText("SendStreamingMessage").first().click();
    await page.getByText("task WORKING").waitFor();
    await show("Conversation");
    await page.getByRole("button", { name: "New conversation" }).click();
    await say("task", "Completed");
    await show("Recordings");
    await page.getByRole("button", { name: "Open here, to compare it" }).click();
    await page.getByText("Both runs say the same").waitFor();
    await show("Conversation");
    await page.getByRole("button", { name: "New conversation" }).click();
    await say("fail", "Failed");
    await show("Recordings");
    await page.getByRole("button", { name: "Open here, to compare it" }).click();
    await page.getByText("1 of 2 exchanges differ").waitFor();
    assert.ok((await page.locator("tr.differs").count()) >= 1);
    await look("recordings");
  });

  test("never have a credential that was used", async (t) => {
    const agent = await serveProbe(t, { AUTH: "bearer" });
    const { page, show } = await openInspector(t, { agent });
    await page.getByText("Probe agent").first().waitFor();
    await show("Credentials");
    await page.getByLabel("Token").fill("alice-token");
    await page.getByRole("button", { name: "Use" }).click();
    await show("Conversation");
    const box = page.getByLabel("Message", { exact: true });
    await box.fill("echo my token is alice-token");
    await box.press("Enter");
    await page.getByText("First event after").waitFor();
    await page.waitForTimeout(200);
    await show("Recordings");
    const saved = page.waitForEvent("download");
    await page.getByRole("button", { name: "Save as a file" }).click();
    const text = await readFile((await (await saved).path()) ?? "", "utf8");
    assert.match(text, /my token is \[removed\]/);
    assert.doesNotMatch(text, /alice-token/);
  });
});
