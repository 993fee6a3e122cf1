import assert from "node:assert/strict";
import { describe, type TestContext, test, vi } from "vitest";
import { probeAgent } from "../../../examples/probe-agent/agent.js";
import { readSettings } from "../../../examples/probe-agent/settings.js";
import { completed, defineAgent } from "../../../src/index.js";
import {
  type Agents,
  apiKeys,
  clientCertificates,
  type ServeOptions,
  serve,
} from "../../../src/server/index.js";
import { schemes } from "../../auth/card.js";
import { builtPage } from "./built-page.js";
import { openInspector, skip } from "./open-page.js";

// The page of the package may not be built; these tests have their own.
vi.mock("../../../src/inspector/page-files.js", async (original) => {
  const files = await original<typeof import("../../../src/inspector/page-files.js")>();
  return { ...files, findPage: () => files.findPage(builtPage) };
});

/** Opens the page that a served agent has at `/inspector`. */
async function openMounted(
  t: TestContext,
  agents: Agents = probeAgent(readSettings({})),
  options: ServeOptions = {},
) {
  const server = await serve(agents, { inspector: true, ...options });
  t.onTestFinished(() => server.close(0));
  return { server, ...(await openInspector(t, { at: `${server.url}/inspector/` })) };
}

describe.skipIf(skip)("serve(agent, { inspector: true })", () => {
  test("opens its agent by itself, and talks to it: a stream, a question, a task that is canceled", async (t) => {
    const { page, show, look } = await openMounted(t);
    await page.getByText("Probe agent").first().waitFor();
    await show("Conversation");
    const turns = page.getByRole("article", { name: "Agent" });
    const say = async (text: string) => {
      await page.getByLabel("Message", { exact: true }).fill(text);
      await page.getByLabel("Message", { exact: true }).press("Enter");
    };
    await say("stream 5");
    await turns.last().getByText("Completed").waitFor();
    await say("ask");
    await turns.last().getByText("Which one?").first().waitFor();
    await say("hold 60000");
    await turns.last().getByText("Working").waitFor();
    await turns.last().getByRole("button", { name: "Cancel the task" }).click();
    await turns.last().getByText("Canceled").waitFor();
    await look("mounted-conversation");
    await show("Tasks");
    const rows = page.getByRole("region", { name: "Tasks" }).getByRole("row");
    await rows.nth(3).waitFor();
    assert.equal(await rows.count(), 4);
    await rows.nth(3).getByRole("link").click();
    await page.getByRole("slider", { name: "Point of the log" }).waitFor();
  });

  test("cuts the line of a stream, and has it resumed", async (t) => {
    const { page, show } = await openMounted(t);
    await page.getByText("Probe agent").first().waitFor();
    await show("Conversation");
    await page.getByLabel("Message", { exact: true }).fill("drip 300 every 40");
    await page.getByLabel("Message", { exact: true }).press("Enter");
    await page.locator(".artifact").first().waitFor();
    await show("Time axis");
    await page.getByLabel("Without heartbeats and chunks").check();
    await page.getByRole("button", { name: "Cut the line for 3 seconds" }).click();
    await page
      .getByText(/Stream open again, from event \d+ on; [1-9]\d* missed events were replayed/)
      .waitFor();
    await page.getByText("The stream has ended").waitFor();
    assert.equal(await page.locator('.figures div:has(dt:text-is("Events")) dd').innerText(), "302");
  });

  test("says which screens need `parley inspect`, and calls no other server", async (t) => {
    const { page, show, look } = await openMounted(t);
    await page.getByText("Probe agent").first().waitFor();
    await show("Webhooks");
    await page.getByText("This page has no receiver.").waitFor();
    await show("Conformance");
    await page.getByText("This page cannot run the checks.").waitFor();
    await look("mounted-conformance");
    await show("Agent");
    await page.getByLabel("URL of the agent, or of its card").fill("https://agent.example");
    await page.getByRole("button", { name: "Open", exact: true }).click();
    await page.getByText(/calls the agents of its own server only\. Run "parley inspect/).waitFor();
  });

  test("offers every agent of the server, and says what a page cannot send", async (t) => {
    const named = (name: string, card: object = {}) =>
      defineAgent({
        card: { name, description: "Answers.", ...card },
        async *execute() {
          yield completed(name);
        },
      });
    const auth = { verifiers: { session: apiKeys({ secret: "alice" }), certificate: clientCertificates() } };
    const keys = { securitySchemes: { session: schemes.cookieKey, certificate: schemes.mtls } };
    const agents = { "/one": named("First agent"), "/two": named("Second agent", keys) };
    const { page, show, look } = await openMounted(t, agents, { auth });
    await page.getByRole("heading", { name: "Agents of this server" }).waitFor();
    await look("mounted-agents");
    await page.getByRole("button", { name: /\/two/ }).click();
    await page.locator(".bar").getByText("Second agent").waitFor();
    await show("Credentials");
    await page.getByText("A page cannot set this cookie.").waitFor();
    await page.getByText("your browser chooses the certificate").waitFor();
    await look("mounted-credentials");
  });
});
