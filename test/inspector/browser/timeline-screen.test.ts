import assert from "node:assert/strict";
import type { Page } from "playwright-core";
import { describe, test } from "vitest";
import { probeAgent } from "../../../examples/probe-agent/agent.js";
import { readSettings } from "../../../examples/probe-agent/settings.js";
import { serveFor } from "../../support/peer.js";
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

/** Position of the interface of gRPC among the choices of the conversation. */
async function grpcChoice(page: Page): Promise<number> {
  const options = page.getByLabel("Interface").locator("option");
  await options
    .filter({ hasText: /^GRPC 1\.0/ })
    .first()
    .waitFor({ state: "attached" });
  const names = await options.allTextContents();
  return names.findIndex((name) => name.startsWith("GRPC 1.0"));
}

/** The labels that lie over the marks of chunks. */
const coveredMarks = `(() => {
  const boxes = (selector) => [...document.querySelectorAll(selector)].map((one) => [one, one.getBoundingClientRect()]);
  const marks = boxes(".timeline .chunk");
  if (marks.length === 0) return ["there are no marks"];
  return boxes(".timeline text").flatMap(([label, box]) =>
    marks.some(([, mark]) => mark.left < box.right && mark.right > box.left && mark.top < box.bottom && mark.bottom > box.top)
      ? [label.textContent]
      : [],
  );
})()`;

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
    assert.deepEqual(await page.evaluate(coveredMarks), []);
    await look("time-axis");
    await page.getByRole("link", { name: "1. echo hello" }).focus();
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "1. echo hello" }).waitFor();
  });

  test("cuts the line, and shows the resume with what was replayed", async (t) => {
    const talking = await talk(t);
    const { page, look, figure } = talking;
    await cutLine(talking);
    assert.equal(await figure("Resumed"), "1");
    assert.ok(Number(await figure("Replayed events")) > 10, await figure("Replayed events"));
    assert.equal(await figure("Gaps"), "0");
    await look("time-axis-cut");
    await page.getByText("The stream has ended").waitFor();
    assert.equal(await figure("Events"), "202");
  });

  test("cuts a line of gRPC as well, and the stream goes on where it was", async (t) => {
    const agent = probeAgent(readSettings({}));
    const { url } = await serveFor(t, agent, { bindings: ["JSONRPC", "GRPC"] });
    const talking = await talk(t, url);
    const { page, show, look, figure } = talking;
    await page.getByLabel("Interface").selectOption({ index: await grpcChoice(page) });
    await cutLine(talking);
    assert.ok(Number(await figure("Replayed events")) > 10, await figure("Replayed events"));
    assert.equal(await figure("Gaps"), "0");
    await page.getByText("The stream has ended").waitFor();
    assert.equal(await figure("Events"), "202");
    assert.equal(await figure("Connections"), "2");
    await look("time-axis-cut-grpc");
    await show("Wire");
    await page.getByRole("link", { name: /SubscribeToTask.*lf\.a2a\.v1\.A2AService/ }).waitFor();
  });

  test("says why a call with a single answer cannot be cut", async (t) => {
    const { page, show, say, look } = await talk(t);
    await page.getByLabel("Answer", { exact: true }).selectOption("wait");
    await say("hold 60000");
    await show("Time axis");
    await page.getByText(/cannot be cut|has not answered yet/).waitFor();
    assert.ok(await page.getByRole("button", { name: "Cut the line for 3 seconds" }).isDisabled());
    await look("time-axis-single");
    await page.getByRole("button", { name: "Stop reading" }).click();
    await page.getByText("Ended", { exact: true }).waitFor();
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
    const broken = page.getByText(/^Line broken/);
    await broken.nth(1).waitFor();
    assert.equal(await broken.count(), 2);
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
    // However far it is scrolled, only the rows in sight are on the page.
    const most = await page.evaluate(`(async () => {
      const list = document.querySelector(".virtual");
      let most = 0;
      for (let step = 0; step <= 40; step++) {
        list.scrollTop = (list.scrollHeight / 40) * step;
        await new Promise(requestAnimationFrame);
        most = Math.max(most, list.querySelectorAll("li").length);
      }
      return most;
    })()`);
    assert.ok(Number(most) < 60, `${most} rows`);
    await list.getByText("The stream has ended").waitFor();
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

/** Lets a stream begin, cuts its line on the time axis, and waits until it has been resumed. */
async function cutLine({ page, show, say }: Awaited<ReturnType<typeof talk>>): Promise<void> {
  await say("drip 200 every 40");
  await page.locator(".artifact").first().waitFor();
  await show("Time axis");
  await page.getByLabel("Without heartbeats and chunks").check();
  await page.getByRole("button", { name: "Cut the line for 3 seconds" }).click();
  await page.getByText("Line broken: The line was cut in the inspector").waitFor();
  await page
    .getByText(/Stream open again, from event \d+ on; [1-9]\d* missed events were replayed/)
    .waitFor();
}
