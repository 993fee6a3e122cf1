import assert from "node:assert/strict";
import { describe, test } from "vitest";
import { connect } from "../../../src/client/index.js";
import { serveProbe } from "../../support/probe.js";
import { openInspector, skip } from "./open-page.js";

describe.skipIf(skip)("tasks", () => {
  test("are listed by page and state, and shown at every generation of their logs", async (t) => {
    const url = await serveProbe(t);
    const client = await connect(url);
    for (const text of ["task", "ask", "task", "stream 3"]) await client.sendText(text);
    const { page, show, look } = await openInspector(t, { agent: url });
    await page.getByText("Probe agent").first().waitFor();
    await show("Tasks");
    const rows = page.getByRole("region", { name: "Tasks" }).getByRole("row");
    await rows.nth(4).waitFor();
    await look("tasks");
    await page.getByLabel("Tasks on a page").fill("3");
    await page.getByRole("button", { name: "List" }).click();
    // The line above the rows is the same for the longer page before it.
    await rows.nth(4).waitFor({ state: "detached" });
    assert.equal(await rows.count(), 4);
    await page.getByText("Page 1; 4 tasks in all").waitFor();
    await page.getByRole("button", { name: "Next page" }).click();
    await page.getByText("Page 2; 4 tasks in all").waitFor();
    assert.equal(await rows.count(), 2);
    await page.getByRole("button", { name: "Previous page" }).click();
    await page.getByText("Page 1; 4 tasks in all").waitFor();
    await page.getByLabel("State").selectOption("TASK_STATE_INPUT_REQUIRED");
    await page.getByRole("button", { name: "List" }).click();
    await page.getByText("Page 1; 1 task in all").waitFor();
    await page.getByLabel("State").selectOption("");
    await page.getByRole("button", { name: "List" }).click();
    await rows.nth(3).waitFor();
    await rows.nth(1).getByRole("link").click();
    const slider = page.getByRole("slider", { name: "Point of the log" });
    await slider.waitFor();
    await page.getByText("Generation 5 of 5").waitFor();
    await look("task-now");
    await slider.focus();
    await page.keyboard.press("Home");
    await page.getByText("Generation 1 of 5").waitFor();
    assert.equal(await page.getByLabel("The task at this point").getByText("artifacts:").count(), 0);
    await page.getByRole("button", { name: "Forward" }).click();
    await page.getByText("Generation 2 of 5").waitFor();
    assert.equal(await page.getByLabel("The task at this point").getByText("artifacts:").count(), 1);
    await look("task-earlier");
    await page.getByRole("link", { name: "Use in an operation" }).click();
    await page.getByRole("heading", { name: "Operations" }).waitFor();
    await page.getByRole("button", { name: "Send", exact: true }).click();
    await page.getByText("Answered").waitFor();
  });

  test("that work can be canceled", async (t) => {
    const url = await serveProbe(t);
    const client = await connect(url);
    await client.sendText("ask");
    const { page, show } = await openInspector(t, { agent: url });
    await page.getByText("Probe agent").first().waitFor();
    await show("Tasks");
    await page.getByRole("region", { name: "Tasks" }).getByRole("link").first().click();
    await page.getByRole("button", { name: "Cancel the task" }).click();
    await page
      .getByRole("region", { name: /^Task / })
      .getByText("Canceled", { exact: true })
      .first()
      .waitFor();
    const focused = await page.evaluate("document.activeElement.textContent");
    assert.match(String(focused), /^[\da-f-]{36}Canceled$/);
  });
});
