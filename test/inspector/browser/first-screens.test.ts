import assert from "node:assert/strict";
import { describe, test } from "vitest";
import { listenFor } from "../../support/listen.js";
import { serveProbe } from "../../support/probe.js";
import { listenTls } from "./listen-tls.js";
import { openInspector, skip } from "./open-page.js";

describe.skipIf(skip)("the first screen", () => {
  test("says what to do, and opens an agent by its URL", async (t) => {
    const url = await serveProbe(t);
    const { page, look } = await openInspector(t, { allowPrivate: true });
    await page.getByRole("heading", { name: "Open an agent" }).waitFor();
    assert.deepEqual(await page.getByRole("navigation").getByRole("link").allTextContents(), [
      "Agent",
      "Webhooks",
      "Recordings",
      "Wire",
    ]);
    await look("start");
    await page.getByLabel("URL of the agent, or of its card").fill("not a url");
    await page.getByRole("button", { name: "Open", exact: true }).click();
    await page.getByText("This is not a URL.").waitFor();
    await page.getByLabel("URL of the agent, or of its card").fill(url);
    await page.getByRole("button", { name: "Open", exact: true }).click();
    await page.getByRole("heading", { name: "Card", exact: true }).waitFor();
    assert.match((await page.locator(".agent").textContent()) ?? "", /^OpenProbe agent/);
    await page.getByRole("button", { name: "Close agent" }).click();
    await page.getByText("Opened in this tab").waitFor();
  });

  test("says what to do with the agent that the command line has opened", async (t) => {
    const { page, look } = await openInspector(t, { agent: await serveProbe(t) });
    await page.getByText("Probe agent is open.").waitFor();
    await look("start-opened");
    await page.getByRole("link", { name: "conversation", exact: true }).click();
    await page.getByRole("heading", { name: "Conversation", exact: true }).waitFor();
  });

  test("says why an agent cannot be opened", async (t) => {
    const { page, look } = await openInspector(t);
    await page.getByLabel("URL of the agent, or of its card").fill("http://127.0.0.1:1");
    await page.getByRole("button", { name: "Open", exact: true }).click();
    await page.getByText("The agent could not be opened.").waitFor();
    await look("start-failed");
  });

  test.for([
    ["answers HTML", "<!doctype html><title>A shop</title>", /HTML|not JSON|no card/i],
    ["has a card that is no card", '{"name":"Half"}', /supportedInterfaces|card/i],
  ] as const)("says what to do about an agent that %s", async ([name, answer, words], t) => {
    const origin = await listenFor(t, (_, res) => {
      const type = answer.startsWith("<") ? "text/html" : "application/json";
      res.writeHead(200, { "Content-Type": type }).end(answer);
    });
    const { page, look } = await openInspector(t, { agent: origin });
    const notice = page.getByRole("alert").filter({ hasText: "could not be opened" });
    await notice.waitFor();
    assert.match(await notice.innerText(), words);
    await look(`start-${name.replaceAll(" ", "-")}`);
  });

  test("says how to trust an agent with a certificate of its own", async (t) => {
    const { page } = await openInspector(t, { agent: await listenTls(t, (_, res) => void res.end()) });
    const notice = page.getByRole("alert").filter({ hasText: "could not be opened" });
    await notice.waitFor();
    assert.match(await notice.innerText(), /authority that is not trusted here.*parley inspect --ca/);
  });

  test("opens the agent that the command line has named", async (t) => {
    const { page } = await openInspector(t, { agent: await serveProbe(t) });
    await page.getByText("Probe agent").first().waitFor();
    await page.reload();
    await page.getByText("Probe agent").first().waitFor();
    assert.ok(!page.url().includes("token"), "the token stays out of the URL");
  });
});

describe.skipIf(skip)("the keyboard", () => {
  test("reaches the content, the help and every screen", async (t) => {
    const { page, look } = await openInspector(t, { agent: await serveProbe(t) });
    await page.getByText("Probe agent").first().waitFor();
    await page.keyboard.press("Tab");
    assert.equal(await page.evaluate("document.activeElement.textContent"), "Skip to the content");
    await page.keyboard.press("Enter");
    assert.equal(await page.evaluate("document.activeElement.id"), "main");
    await page.keyboard.press("?");
    await page.getByRole("dialog", { name: "Help" }).waitFor();
    await look("help");
    await page.keyboard.press("Escape");
    await page.getByRole("dialog").waitFor({ state: "detached" });
    assert.equal(await page.evaluate("document.activeElement.id"), "main");
    for (const [key, heading] of [
      ["c", "Card"],
      ["o", "Operations"],
      ["w", "Wire"],
    ] as const) {
      await page.keyboard.press("g");
      await page.keyboard.press(key);
      await page.getByRole("heading", { name: heading, exact: true }).waitFor();
    }
    const links = page.getByRole("navigation").getByRole("link");
    await links.first().focus();
    await page.keyboard.press("ArrowDown");
    assert.equal(await page.evaluate("document.activeElement.textContent"), "Card");
  });

  test("moves between tabs by arrow keys", async (t) => {
    const { page, show } = await openInspector(t, { agent: await serveProbe(t) });
    await page.getByText("Probe agent").first().waitFor();
    await show("Card");
    await page.getByRole("tab", { name: "What it says" }).focus();
    await page.keyboard.press("ArrowRight");
    assert.equal(await page.getByRole("tab", { name: "JSON" }).getAttribute("aria-selected"), "true");
    await page.keyboard.press("End");
    assert.equal(await page.getByRole("tab", { name: "Changes" }).getAttribute("aria-selected"), "true");
  });
});

describe.skipIf(skip)("the theme", () => {
  test("follows the system, can be chosen, and is kept", async (t) => {
    const { page } = await openInspector(t, { theme: "dark" });
    const theme = () => page.evaluate("document.documentElement.dataset.theme");
    await page.getByRole("button", { name: "Theme: system" }).click();
    assert.equal(await theme(), "light");
    await page.getByRole("button", { name: "Theme: light" }).click();
    assert.equal(await theme(), "dark");
    await page.reload();
    await page.getByRole("button", { name: "Theme: dark" }).waitFor();
  });
});

describe.skipIf(skip)("a narrow window", () => {
  test("shows every screen without scrolling sideways", async (t) => {
    const { page, show, look } = await openInspector(t, { agent: await serveProbe(t), width: 400 });
    await page.getByText("Probe agent").first().waitFor();
    await show("Conversation");
    for (const words of ["stream 30", "data", "ask"]) {
      await page.getByLabel("Message", { exact: true }).fill(words);
      await page.getByLabel("Message", { exact: true }).press("Enter");
      await page.getByText("First event after").last().waitFor();
    }
    for (const screen of [
      ...["Agent", "Card", "Operations", "Conversation", "Time axis", "Tasks", "Credentials"],
      ...["Webhooks", "Recordings", "Conformance", "Wire"],
    ]) {
      await show(screen);
      if (screen === "Tasks")
        await page.getByRole("region", { name: "Tasks" }).getByRole("link").first().click();
      await page.waitForTimeout(200);
      const [whole, shown] = await page.evaluate<[number, number]>(
        "[document.documentElement.scrollWidth, innerWidth]",
      );
      const wide = await page.evaluate<string>(`[...document.querySelectorAll("main *")]
        .filter((element) => element.getBoundingClientRect().right > innerWidth)
        .map(({ tagName, className, textContent }) => tagName + "." + className + " " + textContent.slice(0, 40))
        .slice(0, 8).join("; ")`);
      assert.ok(whole <= shown, `${screen}: ${whole} pixels in a window of ${shown}: ${wide}`);
      await look(`narrow-${screen.toLowerCase().replace(" ", "-")}`);
    }
  });
});
