import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { describe, test } from "vitest";
import { defineAgent, filePart, reply, skill } from "../../../src/index.js";
import { serve } from "../../../src/server/index.js";
import { serveProbe } from "../../support/probe.js";
import { openInspector, skip } from "./open-page.js";

/** Opens the conversation with the probe agent. */
async function talk(t: Parameters<typeof openInspector>[0], env: Record<string, string> = {}) {
  const agent = await serveProbe(t, env);
  const opened = await openInspector(t, { agent });
  const { page, show } = opened;
  await page.locator(".bar .badge", { hasText: "Open" }).waitFor();
  await show("Conversation");
  const box = page.getByLabel("Message", { exact: true });
  const say = async (text: string) => {
    await box.fill(text);
    await box.press("Enter");
  };
  const turns = page.getByRole("article", { name: "Agent" });
  const last = turns.last();
  return { ...opened, agent, box, say, turns, last };
}

describe.skipIf(skip)("the conversation", () => {
  test("shows a message, a task with its states and artifacts, and parts of every kind", async (t) => {
    const { say, last, turns, look, page } = await talk(t);
    await look("conversation-empty");
    await say("echo **bold** and [a link](javascript:alert(1)) <img src=x onerror=alert(1)>");
    await last.getByText("bold", { exact: true }).waitFor();
    assert.equal(await last.locator("strong", { hasText: /^bold$/ }).count(), 1);
    assert.equal(await last.locator("a[href^='javascript']").count(), 0);
    assert.equal(await last.locator("img").count(), 0);
    await say("task");
    await last.getByText("Completed").waitFor();
    assert.equal(await last.getByText("done", { exact: true }).count(), 1);
    await say("data");
    await last.getByText("count:").waitFor();
    await say("url");
    await last.locator("a[href='https://example.com/output.txt']").waitFor();
    await say("file");
    const saved = page.waitForEvent("download");
    await last.getByRole("button", { name: /^Save output/ }).click();
    const download = await saved;
    assert.equal(download.suggestedFilename(), "output.txt");
    assert.ok((await readFile((await download.path()) ?? "")).length > 0);
    assert.equal(await turns.count(), 5);
    await look("conversation-parts");
  });

  test("a text grows as it comes, and one task of a conversation can be canceled while another works", async (t) => {
    const { say, last, page, turns } = await talk(t);
    // Long enough that a slow machine does not see its end before it is canceled.
    await say("drip 4000 every 30");
    const artifact = last.locator(".artifact .part").first();
    await artifact.waitFor();
    const early = (await artifact.innerText()).length;
    // The page's policy forbids functions of text, with which the browser itself would wait.
    while ((await artifact.innerText()).length <= early) await page.waitForTimeout(20);
    await say("hold 60000");
    await turns.nth(1).getByText("Working").waitFor();
    await turns.first().getByRole("button", { name: "Cancel the task" }).click();
    await turns.first().getByText("Canceled").waitFor();
    assert.equal(await turns.nth(1).getByText("Canceled").count(), 0);
    await say("/cancel");
    await turns.nth(1).getByText("Canceled").waitFor();
  });

  test("an answer of very many events is kept in part, and the page says so and leads to the task's log", async (t) => {
    const { say, last, page, show, look } = await talk(t);
    await say("stream 21000 8");
    await last.getByText("Completed").waitFor({ timeout: 90_000 });
    await last.getByText("older events of this answer are no longer kept").waitFor();
    await last.getByText("21,002 events").waitFor();
    assert.match(await last.locator(".artifact").innerText(), /0{3}/);
    await show("Time axis");
    await page.getByText("older events of this answer are no longer kept").waitFor();
    await look("time-axis-dropped");
    await page.getByRole("link", { name: "Read the log of the task from the agent" }).click();
    await page.getByRole("region", { name: /^Task / }).waitFor();
  });

  test("a question and a login are answered in place, and /new begins anew", async (t) => {
    const { say, last, turns, page, look, agent } = await talk(t);
    await say("ask");
    await last.getByText("Which one?").waitFor();
    await look("conversation-question");
    const answer = last.getByLabel("The agent asks. Your answer:");
    await answer.fill("answer blue");
    await answer.press("Enter");
    await last.getByText("You chose blue").waitFor();
    assert.equal(await turns.count(), 2);
    assert.equal(await turns.first().getByLabel("The agent asks. Your answer:").count(), 0);
    await say("login");
    await last.getByText("Needs a login").first().waitFor();
    await look("conversation-login");
    await last.getByRole("button", { name: "I have signed in: go on" }).click();
    await last.getByText("Completed").waitFor();
    const context = await page.locator("header .mono").last().innerText();
    assert.notEqual(context, "");
    await say("/new");
    await page.getByText("Write a message below").waitFor();
    assert.equal(await turns.count(), 0);
    await page.getByLabel("Conversation on the screen").selectOption({ index: 0 });
    await turns.nth(3).waitFor();
    assert.ok(agent);
  });

  test("files are dropped and chosen, data is attached, and the message shows them", async (t) => {
    const { page, box, look } = await talk(t);
    const pixel =
      "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==";
    await box.waitFor();
    const dropped = await page.evaluateHandle(`(() => {
      const bytes = Uint8Array.from(atob("${pixel}"), (character) => character.charCodeAt(0));
      const transfer = new DataTransfer();
      transfer.items.add(new File([bytes], "dot.png", { type: "image/png" }));
      transfer.items.add(new File(["<svg onload='alert(1)'/>"], "a.svg", { type: "image/svg+xml" }));
      return transfer;
    })()`);
    await page.locator(".message-box").dispatchEvent("drop", { dataTransfer: dropped });
    await page.getByText("a.svg (").waitFor();
    await page.getByRole("button", { name: /Attach data/ }).click();
    await page.getByRole("button", { name: "Attach", exact: true }).click();
    await page.getByText("Data: {}").waitFor();
    await look("conversation-attached");
    await box.fill("task");
    await box.press("Enter");
    const said = page.getByRole("article", { name: "You" });
    await said.locator("img.picture[src^='blob:']").waitFor();
    assert.equal(await said.locator("img").count(), 1);
    const saved = page.waitForEvent("download");
    await said.getByRole("button", { name: "Save a.svg" }).click();
    assert.equal((await saved).suggestedFilename(), "a.svg");
  });

  test("a message to a task that works takes over the reading, and the earlier answer ends without a fault", async (t) => {
    const { say, last, turns, page } = await talk(t);
    await say("hold 60000");
    await turns.first().getByText("Working").waitFor();
    await page.getByLabel("To", { exact: true }).selectOption({ index: 1 });
    await say("more");
    await turns.nth(1).waitFor();
    await last
      .getByText(/continued|not complete|not answered/)
      .first()
      .waitFor();
    assert.equal(await turns.first().getByText("not complete").count(), 0);
    await last.getByRole("button", { name: "Cancel the task" }).click();
    await last.getByText("Canceled").waitFor();
  });

  test("a skill with a contract is a form that checks while one types", async (t) => {
    const input = {
      type: "object",
      required: ["kind", "amount"],
      properties: { kind: { enum: ["boat", "car"] }, amount: { type: "integer", minimum: 1 } },
    };
    const quote = skill({
      ...{ id: "quote", name: "Quote", description: "Prices things.", tags: [], input },
      execute: ({ input: given }) => {
        const { kind, amount } = given as { kind: string; amount: number };
        return `${amount} for a ${kind}`;
      },
    });
    const card = { name: "Seller", description: "Sells things." };
    const server = await serve(defineAgent({ card, skills: [quote] }));
    t.onTestFinished(() => server.close(0));
    const { page, show, look } = await openInspector(t, { agent: server.url });
    await page.locator(".bar .badge", { hasText: "Open" }).waitFor();
    await show("Conversation");
    await page.getByRole("tab", { name: "Skill with a form" }).click();
    await page.getByLabel("amount").fill("0");
    await page.locator(".problem").first().waitFor();
    await look("conversation-skill");
    await page.getByLabel("amount").fill("7");
    await page.getByLabel("kind").selectOption("car");
    await page.getByRole("button", { name: "Call the skill" }).click();
    await page.getByText("7 for a car").waitFor();
  });

  test("bytes that are no image or sound are not shown as one; PDF, SVG and HTML are files", async (t) => {
    const bytes = new TextEncoder().encode("<svg xmlns='http://www.w3.org/2000/svg' onload='alert(1)'/>");
    const of = (filename: string, mediaType: string) => filePart(bytes, { filename, mediaType });
    const card = { name: "Filer", description: "Sends files." };
    const parts = [of("a.svg", "image/svg+xml"), of("b.pdf", "application/pdf"), of("c.html", "text/html")];
    const execute = () => reply([...parts, of("d.wav", "audio/wav"), of("e.png", "image/png")]);
    const server = await serve(defineAgent({ card, execute }));
    t.onTestFinished(() => server.close(0));
    const { page, show, look } = await openInspector(t, { agent: server.url });
    await page.getByText("Filer").first().waitFor();
    await show("Conversation");
    await page.getByLabel("Message", { exact: true }).fill("files");
    await page.getByRole("button", { name: "Send" }).click();
    const said = page.getByRole("article", { name: "Agent" });
    // Bytes that are no image or sound of their type are not shown as another one.
    await said.getByText("The browser cannot show this as image/png").waitFor();
    await said.getByText("The browser cannot show this as audio/wav").waitFor();
    assert.equal(await said.locator("img, iframe, object, embed, svg").count(), 0);
    for (const name of ["a.svg", "b.pdf", "c.html"]) {
      const saved = page.waitForEvent("download");
      await said.getByRole("button", { name: `Save ${name}` }).click();
      assert.equal((await saved).suggestedFilename(), name);
    }
    await look("conversation-files");
  });
});
