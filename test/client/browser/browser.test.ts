import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { type TestContext, test } from "vitest";
import { artifact, completed, type Executor } from "../../../src/index.js";
import { gate } from "../../support/both.js";
import { serveExecutor } from "../../support/peer.js";
import { clientScript } from "../bundle/bundle-client.js";
import { cuttingProxy } from "../stream/cutting-proxy.js";
import { executable, startChromium } from "./chromium.js";

const skip = executable === undefined;
if (skip)
  process.stderr.write("Tests are skipped: no Chromium on this machine (Debian: apt-get install chromium)\n");

/** Serves a page with the bundled client in the global variable `parley`. */
async function servePage(t: TestContext): Promise<string> {
  const script = await clientScript("parley");
  const page = createServer((request, response) => {
    const [type, body] = request.url === "/client.js" ? ["javascript", script] : ["html", html];
    response.writeHead(200, { "Content-Type": `text/${type}; charset=utf-8` }).end(body);
  });
  page.listen(0, "127.0.0.1");
  await once(page, "listening");
  t.onTestFinished(() => void page.close());
  return `http://127.0.0.1:${(page.address() as AddressInfo).port}`;
}

const html = '<!doctype html><script src="/client.js"></script>';

/** Counts to 50. Whoever wants to be waited for is waited for after each ten. */
const words: Executor = async function* ({ text }) {
  const answer = artifact({ name: "answer" });
  for (let number = 1; number <= 50; number++) {
    yield answer.text(`${number} `);
    if (text === "slowly" && number % 10 === 0) await rests.shift()?.opened;
  }
  yield completed();
};

const rests = [gate(), gate(), gate()];

test("a page in a browser streams a task from an agent of another origin, through cuts, and so does its worker", {
  skip,
}, async (t) => {
  const origin = await servePage(t);
  const agent = await serveExecutor(t, words, { cors: [origin] });
  const stranger = await serveExecutor(t, words);
  const proxy = await cuttingProxy(t, agent.url);

  const browser = await startChromium();
  t.onTestFinished(() => browser.close());
  const page = await browser.newPage();
  // The page has seen ten more: now its connection breaks, and the agent goes on.
  const gates = [...rests];
  await page.exposeFunction("cut", () => {
    proxy.cut();
    gates.shift()?.open();
  });
  await page.goto(origin);
  const seen = await page.evaluate(
    `(async (agent, proxy, stranger) => {
      const { connect, textOf, gapBefore } = parley;
      const { card } = await connect(agent);
      const supportedInterfaces = card.supportedInterfaces.map((entry) => ({ ...entry, url: proxy }));
      const client = await connect({ ...card, supportedInterfaces }, { resume: { first: 0.01 } });
      const stream = client.stream("slowly");
      let text = "", gaps = 0;
      for await (const event of stream) {
        if (gapBefore(event)) gaps++;
        if (event.artifactUpdate) text += textOf(event.artifactUpdate.artifact);
        if (/ [123]0 $/.test(text)) await cut();
      }
      const { id } = stream.task;
      const [task, rest] = await Promise.all([
        client.getTask({ id }),
        connect(agent, { bindings: ["HTTP+JSON"] }).then((client) => client.sendText("again")),
      ]);
      const refused = await connect(stranger).then((client) => client.sendText("x")).catch((error) => error);
      const worker = new Worker(URL.createObjectURL(new Blob([
        "importScripts(" + JSON.stringify(location.origin + "/client.js") + ");" +
        "parley.connect(" + JSON.stringify(agent) + ").then((client) => client.stream('count').result())" +
        ".then(({ task }) => postMessage(parley.textOf(task.artifacts[0])), (error) => postMessage(String(error)));"
      ])));
      const worked = await new Promise((resolve) => { worker.onmessage = ({ data }) => resolve(data); });
      return {
        worked, origin: location.origin, text, gaps, state: task.status.state,
        rest: textOf(rest.task.artifacts[0]), refused: refused.code,
      };
    })(${JSON.stringify(agent.url)}, ${JSON.stringify(proxy.url)}, ${JSON.stringify(stranger.url)})`,
  );
  const text = Array.from({ length: 50 }, (_, index) => `${index + 1} `).join("");
  const state = "TASK_STATE_COMPLETED";
  assert.deepEqual(seen, { worked: text, origin, text, gaps: 0, state, rest: text, refused: "UNREACHABLE" });
  assert.equal(proxy.cuts, 3);
});
