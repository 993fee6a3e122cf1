import assert from "node:assert/strict";
import type { Page } from "playwright-core";
import { describe, test } from "vitest";
import { serveProbe } from "../../support/probe.js";
import { openInspector, skip } from "./open-page.js";

/** Opens the screen for the probe agent. */
async function operations(t: Parameters<typeof openInspector>[0]) {
  const opened = await openInspector(t, { agent: await serveProbe(t) });
  await opened.page.getByText("Probe agent").first().waitFor();
  await opened.show("Operations");
  await opened.page.getByRole("heading", { name: "Form" }).waitFor();
  return opened;
}

const send = (page: Page) => page.getByRole("button", { name: "Send", exact: true }).click();
const form = (page: Page) => page.getByRole("region", { name: "Request as a form" });
const editor = (page: Page) => page.getByRole("textbox", { name: "Request as JSON" });

/** Writes a request in the editor. */
async function write(page: Page, request: object): Promise<void> {
  await editor(page).click();
  await page.keyboard.press("Control+a");
  await page.keyboard.insertText(JSON.stringify(request));
}

describe.skipIf(skip)("operations", () => {
  test("are sent from the form, over one interface", async (t) => {
    const { page, look } = await operations(t);
    await form(page).getByLabel("text", { exact: true }).fill("echo: good morning");
    await send(page);
    await page.getByText("Answered").waitFor();
    assert.match((await page.getByLabel("Result", { exact: true }).textContent()) ?? "", /message/);
    // The next message has an id of its own, in the form and in the editor.
    const next = await form(page).getByLabel("messageId").inputValue();
    await editor(page).filter({ hasText: next }).waitFor();
    await look("operations");
  });

  test("have an editor whose line numbers stand beside their lines, also where lines are wrapped", async (t) => {
    const { page } = await operations(t);
    await page.setViewportSize({ width: 400, height: 850 });
    await page.locator(".editor").scrollIntoViewIfNeeded();
    const tops = () =>
      page.evaluate<[number[], number[]]>(`(() => {
        const { shadowRoot } = document.querySelector(".editor");
        const of = (selector) => [...shadowRoot.querySelectorAll(selector)]
          .map((element) => Math.round(element.getBoundingClientRect().top));
        return [of(".cm-line"), of(".cm-lineNumbers .cm-gutterElement").slice(1)];
      })()`);
    // The editor measures its lines with the next frame of the screen.
    for (let count = 0; count < 100; count++) {
      const [lines, numbers] = await tops();
      if (lines.join() === numbers.join()) break;
      await page.waitForTimeout(50);
    }
    const [lines, numbers] = await tops();
    assert.deepEqual(numbers, lines);
    const heights = lines.slice(1).map((top, index) => top - (lines[index] ?? 0));
    assert.ok(Math.max(...heights) > Math.min(...heights), "a line is wrapped");
  });

  test("are sent over all interfaces, side by side", async (t) => {
    const { page, look } = await operations(t);
    const count = await page.getByLabel("Interface").getByRole("option").count();
    await page.getByRole("button", { name: `Send over all ${count} interfaces` }).click();
    await page
      .getByText("Answered")
      .nth(count - 1)
      .waitFor();
    const same = page.getByText(/^The same as over JSONRPC [\d.]+, except for ids and times\.$/);
    assert.equal(await same.count(), count - 1);
    await look("operations-side-by-side");
  });

  test("have a form and an editor that follow each other, and an editor that marks what is wrong", async (t) => {
    const { page, look } = await operations(t);
    await form(page).getByLabel("Kind").selectOption("url");
    await editor(page).filter({ hasText: '"url": ""' }).waitFor();
    await form(page).getByLabel("url", { exact: true }).fill("https://files.example/a.png");
    await editor(page).filter({ hasText: "files.example" }).waitFor();
    const message = { messageId: "m1", role: "ROLE_USER", parts: [{ text: "a", url: "b" }] };
    await write(page, { message });
    await page
      .getByLabel("Problems of the request")
      .getByText("Exactly one of text, raw, url, data, not 2")
      .waitFor();
    await page.locator(".editor .cm-lintRange-error").first().waitFor();
    await look("operations-problems");
    await editor(page).click();
    await page.keyboard.press("Control+a");
    await page.keyboard.insertText('{"message": ');
    await page.getByText("This is not JSON yet.").waitFor();
  });

  test("are copied as curl, parley and TypeScript", async (t) => {
    const { page, look } = await operations(t);
    await page.getByText("Copy as curl, parley or TypeScript").click();
    await page.getByText("curl -X POST").waitFor();
    await page.getByRole("button", { name: "Copy", exact: true }).click();
    assert.match(await page.evaluate<string>("navigator.clipboard.readText()"), /^curl -X POST http/);
    await look("operations-copy");
    await page.getByRole("tab", { name: "parley" }).click();
    await page.getByText(/^parley send Hello --agent-card/).waitFor();
    await page.getByRole("tab", { name: "TypeScript" }).click();
    await page.getByText('import { connect } from "a2a-parley/client"').waitFor();
  });

  test("that fail show what the agent has said, with code and details", async (t) => {
    const { page, look } = await operations(t);
    await page.getByLabel("Operation").selectOption("GetTask");
    await page.getByLabel("Interface").selectOption({ label: "JSONRPC 1.0" });
    assert.deepEqual(await form(page).getByRole("button").allTextContents(), ["tenant", "historyLength"]);
    await form(page).getByLabel("id", { exact: true }).fill("no-such-task");
    await send(page);
    await page.getByText("TASK_NOT_FOUND").first().waitFor();
    await page.getByText("The agent has refused:").waitFor();
    await look("operations-refused");
  });

  test("that stream show their events while they come, and can be stopped", async (t) => {
    const { page, look } = await operations(t);
    await page.getByLabel("Operation").selectOption("SendStreamingMessage");
    await form(page).getByLabel("text", { exact: true }).fill("stream 3");
    await send(page);
    await page.getByText("Answered").waitFor();
    await page.getByText(/\d+ events, the last in full:/).waitFor();
    await look("operations-stream");
  });
});
