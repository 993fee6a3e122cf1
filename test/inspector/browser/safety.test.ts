import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, type TestContext, test } from "vitest";
import { startChromium } from "../../client/browser/chromium.js";
import { openInspector, skip } from "./open-page.js";

type Test = Pick<TestContext, "onTestFinished">;

/** Serves a page of someone else. @returns its URL */
async function otherPage(t: Test, html: string): Promise<string> {
  const server = createServer((_, res) => res.writeHead(200, { "Content-Type": "text/html" }).end(html));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  t.onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
}

/** Origin and token of an inspector. */
function partsOf(url: string) {
  const { origin, hash } = new URL(url);
  return { origin, token: new URLSearchParams(hash.slice(1)).get("token") ?? "" };
}

describe.skipIf(skip)("a page of another origin", () => {
  test("reads nothing of the inspector and starts nothing there, even with the token", async (t) => {
    const { context, url } = await openInspector(t);
    const { origin, token } = partsOf(url);
    const page = await context.newPage();
    await page.goto(await otherPage(t, "<!doctype html><title>Other</title>"));
    const asked = await page.evaluate(
      async ([base, secret]) => {
        const ask = (path: string, init: RequestInit) =>
          fetch(`${base}${path}`, init).then(
            (response) => `${response.type} ${response.status}`,
            () => "blocked",
          );
        const headers = { "Inspector-Token": secret ?? "" };
        return Promise.all([
          ask("/api/session", {}),
          ask("/api/session", { headers }),
          ask("/api/fetch", { method: "POST", headers, body: "x" }),
          ask("/api/webhooks", { method: "POST", mode: "no-cors", body: "{}" }),
          ask("/", {}),
        ]);
      },
      [origin, token],
    );
    assert.deepEqual(asked.slice(0, 3), ["blocked", "blocked", "blocked"]);
    assert.equal(asked[4], "blocked");
    // The browser sends this one, and the server refuses it.
    const webhooks = await fetch(`${origin}/api/webhooks`, { headers: { "Inspector-Token": token } });
    assert.deepEqual(await webhooks.json(), []);
  });

  test("cannot show the inspector in a frame, and gets no hold of a window with it", async (t) => {
    const { context, url } = await openInspector(t);
    const page = await context.newPage();
    await page.goto(await otherPage(t, `<!doctype html><iframe src="${partsOf(url).origin}/"></iframe>`));
    await page.waitForLoadState("networkidle");
    const frame = page.frames().find((one) => one !== page.mainFrame());
    assert.doesNotMatch((await frame?.content()) ?? "", /<title>.*Inspector/i);
    // The functions run in the page, whose globals the types of Node do not have.
    await page.evaluate((target) => {
      const view = globalThis as unknown as { open(url: string): unknown; opened: unknown };
      view.opened = view.open(target);
    }, url);
    // A window in another group of browsing contexts looks closed to the page that has opened it. The browser moves it there
    // when the response arrives.
    await page.waitForFunction(() => {
      const { opened } = globalThis as unknown as { opened: { closed: boolean } | null };
      return opened === null || opened.closed;
    });
  });
});

describe.skipIf(skip)("a name that leads to this machine", () => {
  test("shows nothing of the inspector (DNS rebinding)", async (t) => {
    const { url } = await openInspector(t);
    const { origin, token } = partsOf(url);
    const { port } = new URL(origin);
    const browser = await startChromium(["--host-resolver-rules=MAP evil.example 127.0.0.1"]);
    t.onTestFinished(() => browser.close());
    const page = await browser.newPage();
    const response = await page.goto(`http://evil.example:${port}/`);
    assert.equal(response?.status(), 403);
    // The page would be of the same origin as the inspector, as the browser sees it.
    const status = await page.evaluate(
      async (secret) => (await fetch("/api/session", { headers: { "Inspector-Token": secret } })).status,
      token,
    );
    assert.equal(status, 403);
  });
});

describe.skipIf(skip)("the page", () => {
  test("loads nothing from elsewhere", async (t) => {
    const { page, url } = await openInspector(t);
    const { origin } = partsOf(url);
    const asked: string[] = [];
    page.on("request", (request) => void asked.push(request.url()));
    await page.reload();
    await page.getByRole("heading", { level: 1 }).waitFor();
    assert.ok(asked.length > 2);
    for (const one of asked) assert.ok(one.startsWith(`${origin}/`) || /^(blob|data):/.test(one), one);
  });

  test("calls no address but its server, and runs no script that is not a file of it", async (t) => {
    const { context, url } = await openInspector(t);
    // A page of its own, because what the policy refuses fails the test of the first one.
    const page = await context.newPage();
    await page.goto(url);
    const target = JSON.stringify(await otherPage(t, "secret"));
    const called = await page.evaluate(
      `fetch(${target}, { mode: "no-cors" }).then(() => "done", () => "refused")`,
    );
    assert.equal(called, "refused");
    const ran = await page.evaluate(`(async () => {
      const script = (set) => document.head.append(Object.assign(document.createElement("script"), set));
      script({ textContent: "globalThis.ran = 'inline'" });
      script({ src: "data:text/javascript,globalThis.ran='data'" });
      script({ src: ${target} });
      document.body.insertAdjacentHTML("beforeend", '<img src="data:," onerror="globalThis.ran = 1">');
      setTimeout("globalThis.ran = 'text'");
      await new Promise((resolve) => setTimeout(resolve, 500));
      return globalThis.ran ?? "nothing";
    })()`);
    assert.equal(ran, "nothing");
  });

  test("says that its token is not that of the launch", async (t) => {
    const { context, url } = await openInspector(t);
    const page = await context.newPage();
    await page.goto(url.replace(/token=.*/, "token=guess"));
    await page.getByText("The token is not that of this launch").waitFor();
  });
});
