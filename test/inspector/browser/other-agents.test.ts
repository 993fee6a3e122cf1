import assert from "node:assert/strict";
import { type RequestListener, request } from "node:http";
import { describe, test } from "vitest";
import { connect } from "../../../src/client/index.js";
import { artifact, completed } from "../../../src/index.js";
import { mountInspector } from "../../../src/inspector/mounted.js";
import { serveSdkAgent } from "../../client/sdk-agent.js";
import { cuttingProxy } from "../../client/stream/cutting-proxy.js";
import { serveOldSdkAgent } from "../../interop/sdk-0.3-agent.js";
import { gate } from "../../support/both.js";
import { listenFor } from "../../support/listen.js";
import { serveExecutor } from "../../support/peer.js";
import { serveProbe } from "../../support/probe.js";
import { builtPage } from "./built-page.js";
import { type OpenInspector, openInspector, skip } from "./open-page.js";

/** Sends "hello" over every interface of the card; how many there are. */
async function sendOverAll({ page, show }: OpenInspector): Promise<number> {
  await show("Operations");
  await page.getByLabel("text", { exact: true }).fill("hello");
  const button = page.getByRole("button", { name: /^Send over all \d+ interfaces$/ });
  const count = Number(/\d+/.exec((await button.textContent()) ?? "")?.[0]);
  await button.click();
  await page
    .getByLabel("Results")
    .getByText("Answered", { exact: true })
    .nth(count - 1)
    .waitFor();
  return count;
}

describe.skipIf(skip)("agents of other libraries and versions", () => {
  test("@a2a-js/sdk 1.3 is called over JSON-RPC, HTTP+JSON and gRPC", async (t) => {
    const { url } = await serveSdkAgent(t);
    const opened = await openInspector(t, { agent: url });
    const { page, show, look } = opened;
    await page.getByText("Reference").first().waitFor();
    assert.equal(await sendOverAll(opened), 3);
    await look("sdk-operations");
    await show("Wire");
    await page.getByRole("link", { name: /SendMessage.*lf\.a2a\.v1\.A2AService/ }).click();
    await page.getByText("0 OK").waitFor();
    await look("sdk-grpc-status");
    await show("Tasks");
    await page.getByRole("region", { name: "Tasks" }).getByRole("link").first().click();
    await page.getByText(/gives a log of this task/).waitFor();
  });

  test("@a2a-js/sdk 0.3.14 is called over JSON-RPC, HTTP+JSON and gRPC", async (t) => {
    const { url } = await serveOldSdkAgent(t);
    const opened = await openInspector(t, { agent: url });
    await opened.page.getByText("Reference").first().waitFor();
    assert.equal(await sendOverAll(opened), 3);
    await opened.show("Card");
    await opened.page.getByRole("tab", { name: "Checks" }).click();
    await opened.page.getByText(/This card is written in version 0\.3/).waitFor();
    await opened.look("sdk-old-card");
  });

  test("an agent of the first draft is called over all of its versions", async (t) => {
    const url = await serveProbe(t, { VERSIONS: "1.0,0.3,0.1" });
    const opened = await openInspector(t, { agent: url });
    await opened.page.getByText("Probe agent").first().waitFor();
    assert.ok((await sendOverAll(opened)) >= 5);
    await opened.look("versions-side-by-side");
  });
});

describe.skipIf(skip)("an agent whose streams break", () => {
  test("is resumed, and the wire shows both halves with their ids", async (t) => {
    const half = gate();
    const words = artifact({ name: "answer" });
    const agent = await serveExecutor(t, async function* () {
      for (let number = 1; number <= 10; number++) {
        yield words.text(`${number} `);
        if (number === 5) await half.opened;
      }
      yield completed();
    });
    const proxy = await cuttingProxy(t, agent.url);
    const { card } = await connect(agent.url);
    const supportedInterfaces = card.supportedInterfaces
      .map((entry) => ({ ...entry, url: proxy.url }))
      .slice(0, 1);
    const opened = await openInspector(t, { agent: { ...card, supportedInterfaces }, allowPrivate: true });
    const { page, show, look } = opened;
    await show("Operations");
    await page.getByLabel("Operation").selectOption("SendStreamingMessage");
    await page.getByRole("button", { name: "Send", exact: true }).click();
    await page.getByText(/^[67] events, the last in full/).waitFor();
    proxy.cut();
    half.open();
    await page.getByText("Answered").waitFor();
    await show("Wire");
    await page.getByRole("link", { name: /SubscribeToTask/ }).waitFor();
    await page.getByRole("link", { name: /cut.*SendStreamingMessage/ }).waitFor();
    await page.getByRole("tab", { name: "Request" }).click();
    await page.getByRole("row", { name: /^last-event-id [67]/i }).waitFor();
    await look("wire-resumed");
  });
});

describe.skipIf(skip)("a served agent with the inspector", () => {
  test("is opened at once and called same-origin", async (t) => {
    const agent = await serveExecutor(t, async function* () {
      yield completed("Hello");
    });
    const { hostname, port } = new URL(agent.url);
    // What else the server answers; the page calls it at this origin, whatever URL the card names.
    const app: RequestListener = ({ url: path, method, headers }, res) => {
      const passed = request({
        hostname,
        port,
        path,
        method,
        headers: { ...headers, host: `${hostname}:${port}` },
      });
      passed.on("response", (answer) => answer.pipe(res.writeHead(answer.statusCode ?? 500, answer.headers)));
      res.req.pipe(passed);
    };
    const agents = () => ({ url: agent.url, agents: [{ name: "Test agent", path: "/" }] });
    const origin = await listenFor(t, mountInspector({ app, agents, folder: builtPage }));
    const opened = await openInspector(t, { at: `${origin}/inspector/` });
    const { page, show } = opened;
    await page.getByText("Test agent").first().waitFor();
    assert.ok((await sendOverAll(opened)) >= 2);
    await show("Agent");
    await page.getByText("calls the agents of that server only").waitFor();
    await page.getByLabel("URL of the agent, or of its card").fill("http://127.0.0.1:1");
    await page.getByRole("button", { name: "Open", exact: true }).click();
    await page.getByText(/This page calls the agents of its own server only/).waitFor();
  });
});
