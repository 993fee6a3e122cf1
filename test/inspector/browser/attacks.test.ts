import assert from "node:assert/strict";
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { describe, test } from "vitest";
import { artifact, completed, filePart } from "../../../src/index.js";
import { gate } from "../../support/both.js";
import { listenFor } from "../../support/listen.js";
import { serveExecutor } from "../../support/peer.js";
import { builtPage } from "./built-page.js";
import { type OpenInspector, openInspector, skip } from "./open-page.js";

const MIB = 1024 * 1024;
/** What would set a mark on the page if any of it ran. */
const script = `"><img src=x onerror="window.harmed=1"><script>window.harmed=1</script><svg onload="window.harmed=1">`;
const scriptUrl = "javascript:window.harmed=1";

const isHarmed = ({ page }: OpenInspector) => page.evaluate("window.harmed === 1");

describe.skipIf(skip)("an agent that attacks the page", () => {
  test("by a card with script in every string changes nothing but what is read", async (t) => {
    const origin = await listenFor(t, (req, res) => {
      const url = `http://${req.headers.host}/`;
      const flows = {
        authorizationCode: { authorizationUrl: scriptUrl, tokenUrl: scriptUrl, scopes: { [script]: script } },
      };
      const card = {
        ...{
          name: script,
          description: script,
          version: script,
          documentationUrl: scriptUrl,
          iconUrl: scriptUrl,
        },
        provider: { organization: script, url: scriptUrl },
        capabilities: {
          streaming: true,
          extensions: [{ uri: scriptUrl, description: script, params: { [script]: script } }],
        },
        ...{ defaultInputModes: [script], defaultOutputModes: [script] },
        skills: [{ id: script, name: script, description: script, tags: [script], examples: [script] }],
        supportedInterfaces: [{ url, protocolBinding: "JSONRPC", protocolVersion: "1.0", tenant: script }],
        securitySchemes: {
          [script]: { apiKeySecurityScheme: { name: script, location: "header", description: script } },
          login: { oauth2SecurityScheme: { description: script, flows } },
        },
        securityRequirements: [{ schemes: { [script]: { list: [script] } } }],
      };
      if (req.url?.includes("agent-card.json"))
        res.setHeader("Content-Type", "application/json").end(JSON.stringify(card));
      else res.setHeader("Content-Type", "text/html").end(script);
    });
    const opened = await openInspector(t, { agent: origin });
    const { page, show, look } = opened;
    await page.getByText("onerror=").first().waitFor();
    for (const screen of ["Card", "Operations", "Credentials", "Tasks", "Wire"]) {
      await show(screen);
      await page.waitForTimeout(200);
      assert.equal(await isHarmed(opened), false, screen);
    }
    await show("Card");
    for (const tab of ["JSON", "Checks", "Places and versions", "Signatures", "Extended card", "Changes"]) {
      await page.getByRole("tab", { name: tab }).click();
      await page.waitForTimeout(200);
      assert.equal(await isHarmed(opened), false, tab);
    }
    assert.equal(await page.locator('a[href^="javascript"]').count(), 0);
    await page.getByRole("tab", { name: "What it says" }).click();
    await look("attack-card");
  });

  test("by a page to sign in that is a script opens nothing", async (t) => {
    const flows = {
      authorizationCode: { authorizationUrl: scriptUrl, tokenUrl: "https://issuer.example/t", scopes: {} },
    };
    const security = { securitySchemes: { login: { oauth2SecurityScheme: { flows } } } };
    const origin = await listenFor(t, (req, res) => {
      const url = `http://${req.headers.host}/`;
      const card = {
        ...{ name: "A", description: "B", version: "1", capabilities: {}, skills: [], ...security },
        ...{ defaultInputModes: [], defaultOutputModes: [] },
        supportedInterfaces: [{ url, protocolBinding: "JSONRPC", protocolVersion: "1.0" }],
      };
      res.setHeader("Content-Type", "application/json").end(JSON.stringify(card));
    });
    const opened = await openInspector(t, { agent: origin });
    const { page, context, show } = opened;
    await page.getByText("Open", { exact: true }).first().waitFor();
    await show("Credentials");
    await page.getByLabel("Client id").fill("x");
    await page.getByRole("button", { name: "Sign in" }).click();
    await page.getByText("This is not the URL of a page").waitFor();
    assert.equal(context.pages().length, 1);
    assert.equal(await isHarmed(opened), false);
  });

  test("by a part of 50 MiB leaves the page usable", async (t) => {
    const agent = await serveExecutor(t, async function* () {
      yield artifact({ name: "large" }).text("x".repeat(50 * MIB));
      yield completed();
    });
    const opened = await openInspector(t, { agent: agent.url });
    const { page, show } = opened;
    await page.getByText("Test agent").first().waitFor();
    await show("Operations");
    await page.getByRole("button", { name: "Send", exact: true }).click();
    await page.getByLabel("Results").getByText("Answered", { exact: true }).waitFor({ timeout: 90_000 });
    await show("Wire");
    await page.getByText("Only the first 8 MiB were kept.").waitFor();
    const length = await page.evaluate<number>("document.body.innerText.length");
    assert.ok(length < MIB, `${length} characters on the page`);
  });

  test("by a stream that never ends can be stopped, and 10,000 events scroll without a stutter", async (t) => {
    const end = gate();
    t.onTestFinished(() => end.open());
    const agent = await serveExecutor(t, async function* ({ signal }) {
      const words = artifact({ name: "endless" });
      for (let number = 1; number <= 10_000; number++) {
        yield words.text(`${number} `);
        if (number % 500 === 0) await new Promise((resolve) => setImmediate(resolve));
      }
      await Promise.race([end.opened, new Promise((resolve) => signal.addEventListener("abort", resolve))]);
      yield completed();
    });
    const { page, show, look } = await openInspector(t, { agent: agent.url });
    await page.getByText("Test agent").first().waitFor();
    await show("Operations");
    await page.getByLabel("Operation").selectOption("SendStreamingMessage");
    await page.getByRole("button", { name: "Send", exact: true }).click();
    await page.getByText(/^10,00\d events, the last in full/).waitFor({ timeout: 90_000 });
    const rows = page.getByLabel("Events", { exact: true }).getByRole("listitem");
    assert.ok((await rows.count()) < 60, "only the visible events are on the page");
    // The longest time between two frames of the screen while the list scrolls through all of them.
    const longest = await page.evaluate<number>(`(async () => {
      const list = document.querySelector('[aria-label="Events"]');
      let longest = 0, before = performance.now();
      for (let step = 0; step <= 60; step++) {
        list.scrollTop = list.scrollHeight * step / 60;
        await new Promise(requestAnimationFrame);
        const now = performance.now();
        longest = Math.max(longest, now - before);
        before = now;
      }
      return longest;
    })()`);
    assert.ok(longest < 1000, `${Math.round(longest)} ms between two frames`);
    await page.getByRole("button", { name: "Stop" }).click();
    await page.getByText("You have stopped the call.").waitFor();
    await show("Wire");
    await page.getByRole("tab", { name: /^Frames \(10,?00\d\)/ }).waitFor();
    await look("wire-10000-frames");
  });

  test("by a redirect to a private address is refused", async (t) => {
    const origin = await listenFor(
      t,
      (_, res) => void res.writeHead(302, { Location: "http://10.255.255.1/secret" }).end(),
    );
    const { page, show } = await openInspector(t, { agent: origin });
    await page.getByText("The agent could not be opened.").waitFor();
    await show("Wire");
    await page.getByRole("link", { name: /Failed.*10\.255\.255\.1/ }).click();
    await page
      .getByText(/private/)
      .first()
      .waitFor();
  });

  test("by SVG in a file part gets a download without a type that runs", async (t) => {
    const svg = new TextEncoder().encode(
      `<svg xmlns="http://www.w3.org/2000/svg" onload="window.harmed=1"/>`,
    );
    const agent = await serveExecutor(t, async function* () {
      yield artifact({ name: "picture" }).parts([
        filePart(svg, { mediaType: "image/svg+xml", filename: "a.svg" }),
      ]);
      yield completed();
    });
    const opened = await openInspector(t, { agent: agent.url });
    const { page, show } = opened;
    await page.getByText("Test agent").first().waitFor();
    await show("Operations");
    await page.getByRole("button", { name: "Send", exact: true }).click();
    await page.getByText("Answered").waitFor();
    assert.equal(await isHarmed(opened), false);
  });
});

describe("the built page", () => {
  const files = readdirSync(builtPage, { recursive: true, encoding: "utf8" })
    .map((name) => join(builtPage, name))
    .filter((path) => statSync(path).isFile());

  test("has at most 400 kB, compressed file by file", () => {
    const sizes = files.map((path) => gzipSync(readFileSync(path)).length);
    const whole = sizes.reduce((sum, size) => sum + size, 0);
    assert.ok(whole <= 400_000, `${whole} bytes`);
  });

  test("has no inline script or style, names no other origin, and has the licences of what it contains", () => {
    const html = readFileSync(join(builtPage, "index.html"), "utf8");
    assert.doesNotMatch(html, /<style|<script(?![^>]*\bsrc=)|\sstyle=|\son\w+=|https?:/);
    const licenses = readFileSync(join(builtPage, "licenses.md"), "utf8");
    for (const name of ["preact", "@preact/signals", "@codemirror/view", "marked", "jose"]) {
      assert.ok(licenses.includes(name), name);
    }
  });
});
