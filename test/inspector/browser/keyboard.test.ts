import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import type { Page } from "playwright-core";
import { describe, test } from "vitest";
import { readRecording } from "../../../src/testing/index.js";
import { serveProbe } from "../../support/probe.js";
import { openInspector, skip } from "./open-page.js";

/**
 * The element that has the focus, also within the editor's shadow tree. It counts as visible if it was so in a frame since it got the focus:
 * the text of a stream may push it out of the window afterwards.
 */
const focused = `(() => {
  const isRinged = (element) => {
    const { outlineStyle, outlineWidth } = getComputedStyle(element);
    return outlineStyle !== "none" && parseFloat(outlineWidth) >= 1;
  };
  const find = () => {
    let at = document.activeElement;
    while (at?.shadowRoot?.activeElement) at = at.shadowRoot.activeElement;
    return at;
  };
  const isShown = (at) => {
    const { top, bottom, left, right, width } = at.getBoundingClientRect();
    const { host } = at.getRootNode();
    return at !== document.body && (isRinged(at) || (host !== undefined && isRinged(host))) &&
      bottom > 0 && right > 0 && top < innerHeight && left < innerWidth && width > 0;
  };
  if (!window.shownFocus) {
    window.shownFocus = { element: undefined };
    const look = () => {
      const at = find();
      if (isShown(at)) window.shownFocus.element = at;
    };
    document.addEventListener("focusin", () => {
      window.shownFocus.element = undefined;
      look();
      requestAnimationFrame(look);
    });
  }
  const at = find();
  return {
    name: (at.getAttribute("aria-label") ?? at.labels?.[0]?.textContent ?? at.textContent ?? "").trim(),
    tag: at.tagName,
    isVisible: isShown(at) || (at !== document.body && window.shownFocus.element === at),
  };
})()`;

interface Focused {
  readonly name: string;
  readonly tag: string;
  readonly isVisible: boolean;
}

/** Most controls that one screen may have between two others. */
const FAR = 150;

/** A person who has a keyboard only. After each key that moves the focus, the focus must be seen. */
function keyboardOf(page: Page) {
  const focus = () => page.evaluate<Focused>(focused);
  /** The focus once it is in view: the browser scrolls to it, and a screen takes it, a moment later. */
  const settledFocus = async (mayLeave: boolean): Promise<Focused> => {
    const end = performance.now() + 2_000;
    let at = await focus();
    while (!at.isVisible && !(mayLeave && at.tag === "BODY") && performance.now() < end) at = await focus();
    return at;
  };
  const { keyboard } = page;
  const move = async (key: string): Promise<Focused> => {
    await keyboard.press(key);
    const at = await settledFocus(true);
    // After the last control the focus is in the browser's own bar.
    const isSeen = at.isVisible || at.tag === "BODY";
    assert.ok(isSeen, `after ${key} the focus is not to be seen: ${at.tag} ${at.name.slice(0, 80)}`);
    return at;
  };
  /** Moves on until a control of this name has the focus. */
  const to = async (name: string | RegExp, key = "Tab"): Promise<void> => {
    const passed: string[] = [];
    for (let count = 0; count < FAR; count++) {
      const at = await move(key);
      if (typeof name === "string" ? at.name === name : name.test(at.name)) return;
      passed.push(`${at.tag} ${at.name.slice(0, 30)}`);
      if (passed.filter((one) => one.startsWith("BODY")).length > 1) break;
    }
    assert.fail(`${key} does not lead to ${name}, but to ${passed.join("; ")}`);
  };
  const press = (key: string) => keyboard.press(key);
  const type = (text: string) => keyboard.insertText(text);
  const heading = (name: string) => page.getByRole("heading", { level: 1, name, exact: true }).waitFor();
  /** Goes to a screen by its pair of keys, which do not count within a field. */
  const go = async (key: string, name: string): Promise<void> => {
    await press("g");
    await press(key);
    await heading(name);
    assert.ok((await settledFocus(false)).isVisible, `the focus is not to be seen on ${name}`);
  };
  /** Waits until a control of this name has the focus: the page gives it a moment after what was done. */
  const focusIsOn = async (name: string, rule?: string): Promise<void> => {
    const end = performance.now() + 2_000;
    let at = await focus();
    while (at.name !== name && performance.now() < end) at = await focus();
    assert.equal(at.name, name, rule);
  };
  return { focusIsOn, to, press, type, go, heading };
}

describe.skipIf(skip)("with the keyboard alone", () => {
  test("an agent is opened, signed in to, spoken to, cut off, looked through, recorded and checked", async (t) => {
    const agent = await serveProbe(t, { AUTH: "bearer" });
    const { page } = await openInspector(t, { allowPrivate: true });
    await page.getByRole("heading", { name: "Open an agent" }).waitFor();
    const { focusIsOn, to, press, type, go, heading } = keyboardOf(page);

    await to("URL of the agent, or of its card");
    await type(agent);
    await press("Enter");
    await heading("Card");
    await to("What it says");
    await press("ArrowRight");
    await focusIsOn("JSON");

    await go("r", "Credentials");
    await to("Token");
    await type("alice-token");
    await press("Enter");
    await page.getByText("Entered", { exact: true }).waitFor();
    await focusIsOn("Token", "the form that was sent keeps the focus");
    await to("Use");

    await go("t", "Conversation");
    await to("Message");
    await type("ask");
    await press("Enter");
    await page.getByText("Which one?").waitFor();
    await to("The agent asks. Your answer:", "Shift+Tab");
    await type("answer blue");
    await press("Enter");
    await page.getByText("You chose blue").waitFor();
    await focusIsOn("Message", "the focus goes on to the next message");

    await to("Attach data");
    await press("Enter");
    await page.getByRole("dialog", { name: "Attach data" }).waitFor();
    await to("Data as JSON");
    await press("Control+a");
    await type('{"n":1}');
    await to("Attach");
    await press("Enter");
    await page.getByText('Data: {"n":1}').waitFor();
    await focusIsOn("Attach data", "a dialog gives the focus back");
    await to('Remove Data: {"n":1}', "Shift+Tab");
    await press("Enter");

    await to("Message");
    await type("drip 5000 every 40");
    await press("Enter");
    await page.locator(".artifact").last().waitFor();
    await to("Attach files");
    await go("x", "Time axis");
    await to("Without heartbeats and chunks of artifacts");
    await press("Space");
    await to("Cut the line for 3 seconds", "Shift+Tab");
    await press("Enter");
    await page.getByText(/Stream open again, from event \d+ on/).waitFor();
    await focusIsOn("Cut the line for 3 seconds", "a button that rests keeps the focus");
    await go("t", "Conversation");
    await to("Cancel the task");
    await press("Enter");
    await page.getByText("Canceled", { exact: true }).last().waitFor();
    await focusIsOn("States of the task", "the focus stays at what was canceled");

    await go("w", "Wire");
    await to(/^200.*SubscribeToTask/);
    await press("Enter");
    await page.getByRole("heading", { level: 2, name: "SubscribeToTask" }).waitFor();
    await to(/^Frames/);
    await press("Home");
    await focusIsOn("Request");
    await page.getByRole("row", { name: /^last-event-id/i }).waitFor();

    await go("k", "Tasks");
    await page.getByRole("region", { name: "Tasks" }).getByRole("link").nth(1).waitFor();
    await to(/^[\da-f]{8}-/);
    await press("Enter");
    await page.getByText(/^Generation (\d+) of \1$/).waitFor();
    await to("Point of the log");
    await press("Home");
    await page.getByText(/^Generation 1 of \d+$/).waitFor();
    await press("ArrowRight");
    await page.getByText(/^Generation 2 of \d+$/).waitFor();

    await go("d", "Recordings");
    await to("Save as a file");
    const saved = page.waitForEvent("download");
    await press("Enter");
    const file = readRecording(await readFile((await (await saved).path()) ?? "", "utf8"));
    assert.ok(file.exchanges.some(({ purpose }) => purpose === "SubscribeToTask"));

    await go("f", "Conformance");
    await to("Only these requirements");
    await type("CARD-01");
    await to("Token");
    await type("alice-token");
    await press("Enter");
    await page.getByRole("button", { name: "Save the report" }).waitFor({ timeout: 60_000 });
    await to(/^Met CARD-01/);
    await press("Enter");
    await page.locator("details[open] .check").first().waitFor();
  });

  test("every screen is walked through from end to end: the focus is always seen and never caught", async (t) => {
    const { page } = await openInspector(t, { agent: await serveProbe(t) });
    await page.getByText("Probe agent").first().waitFor();
    const { focusIsOn, to, press, type, go } = keyboardOf(page);
    await go("t", "Conversation");
    await to("Message");
    await type("ask");
    await press("Enter");
    await page.getByText("Which one?").waitFor();
    await to("Attach files");
    const screens = [
      ...[["a", "Open an agent"] as const, ["c", "Card"] as const, ["o", "Operations"] as const],
      ...[["t", "Conversation"] as const, ["x", "Time axis"] as const, ["k", "Tasks"] as const],
      ...[["r", "Credentials"] as const, ["h", "Webhooks"] as const, ["d", "Recordings"] as const],
      ...[["f", "Conformance"] as const, ["w", "Wire"] as const],
    ];
    for (const [key, name] of screens) {
      await go(key, name);
      // From the last control of the screen the focus comes back to the first one of the page.
      await to("Skip to the content");
      await press("Enter");
    }
    await go("c", "Card");
    await to("What it says");
    for (const tab of ["JSON", "Checks", "Places and versions", "Signatures", "Extended card", "Changes"]) {
      await press("ArrowRight");
      await page.getByRole("tab", { name: tab, selected: true }).waitFor();
      await focusIsOn(tab);
    }
  });
});
