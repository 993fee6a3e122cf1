import assert from "node:assert/strict";
import { describe, test } from "vitest";
import { serveProbe } from "../../support/probe.js";
import { serveBreaking } from "./cutting-proxy.js";
import { openInspector, skip } from "./open-page.js";

async function talk(t: Parameters<typeof openInspector>[0], agent?: string) {
  const opened = await openInspector(t, { agent: agent ?? (await serveProbe(t)) });
  const { page, show } = opened;
  await page.getByText("Probe agent").first().waitFor();
  await show("Conversation");
  const say = async (text: string) => {
    const box = page.getByLabel("Message", { exact: true });
    await box.fill(text);
    await box.press("Enter");
  };
  const figure = (name: string) => page.locator(`.figures div:has(dt:text-is("${name}")) dd`).innerText();
  return { ...opened, say, figure };
}

describe.skipIf(skip)("the time axis", () => {
  test("says what to do while nothing has happened, and shows tasks as spans afterwards", async (t) => {
    const { page, show, say, look, figure } = await talk(t);
    await show("Time axis");
    await page.getByText("Nothing has happened yet").waitFor();
    await page.getByRole("link", { name: "Say something to the agent" }).click();
    await say("echo hello");
    await page.getByText("echo: hello").waitFor();
    await say("drip 20 every 20");
    await page.getByText("Completed").waitFor();
    await page.getByRole("link", { name: "See it over time" }).last().click();
    await page.getByRole("heading", { name: "2. drip 20 every 20" }).waitFor();
    await page.getByLabel("Without heartbeats and chunks").check();
    await page.getByText("The stream has ended").waitFor();
    assert.equal(await figure("Events"), "22");
    assert.match(await figure("To the first event"), /ms$/);
    await look("time-axis");
    await page.getByRole("link", { name: "1. echo hello" }).focus();
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "1. echo hello" }).waitFor();
  });

  test("cuts the line, and shows the resume with what was replayed", async (t) => {
    const { page, show, say, look, figure } = await talk(t);
    await say("drip 200 every 40");
    await page.locator(".artifact").first().waitFor();
    await show("Time axis");
    await page.getByLabel("Without heartbeats and chunks").check();
    await page.getByRole("button", { name: "Cut the line for 3 seconds" }).click();
    await page.getByText("Line broken: The line was cut in the inspector").waitFor();
    await page.getByText(/Stream open again, from event \d+ on; \d+ missed events were replayed/).waitFor();
    assert.equal(await figure("Resumed"), "1");
    assert.ok(Number(await figure("Replayed events")) > 10, await figure("Replayed events"));
    assert.equal(await figure("Gaps"), "0");
    await look("time-axis-cut");
    await page.getByText("The stream has ended").waitFor();
    assert.equal(await figure("Events"), "202");
  });

  test("of an agent whose streams break shows each break, and a task that is whole all the same", async (t) => {
    const { page, show, say, look, figure } = await talk(
      t,
      await serveBreaking(t, { streams: 2, after: 2000 }),
    );
    await say("drip 60 every 20");
    await page.getByText("Completed").waitFor();
    await page.getByText("First event after").waitFor();
    assert.equal(await page.getByText("The answer is not complete").count(), 0);
    assert.match(await page.locator(".artifact").innerText(), /000059/);
    await show("Time axis");
    await page.getByLabel("Without heartbeats and chunks").check();
    assert.equal(await page.getByText(/^Line broken/).count(), 2);
    assert.equal(await figure("Resumed"), "2");
    assert.equal(await figure("Events"), "62");
    await look("time-axis-broken");
  });

  test("shows ten thousand events without stutter", async (t) => {
    const { page, show, say, figure, look } = await talk(t);
    await say("stream 10000 8");
    await page.getByText("Completed").waitFor({ timeout: 60_000 });
    await show("Time axis");
    await page.getByText("10,002").waitFor();
    assert.equal(await figure("Events"), "10,002");
    const list = page.locator(".virtual");
    assert.ok((await list.locator("li").count()) < 60);
    // Frames while the list is scrolled through from end to end.
    const longest = await page.evaluate(`new Promise((resolve) => {
      const list = document.querySelector(".virtual");
      let last = performance.now(), longest = 0, step = 0;
      const frame = (now) => {
        longest = Math.max(longest, now - last);
        last = now;
        step += 1;
        list.scrollTop = (list.scrollHeight / 60) * step;
        if (step < 60) requestAnimationFrame(frame); else resolve(longest);
      };
      requestAnimationFrame(frame);
    })`);
    process.stderr.write(
      `Longest frame while 10,002 events were scrolled: ${Math.round(Number(longest))} ms\n`,
    );
    assert.ok(Number(longest) < 1000, `${longest} ms`);
    await look("time-axis-many");
  });
});
