import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import express from "express";
import { type TestContext, test } from "vitest";
import type { CardInput } from "../../src/index.js";
import { apiKeys, bearerTokens, createApp, type ServeOptions } from "../../src/server/index.js";
import { isFetch, serveHere } from "../support/hosts.js";
import { koaTest } from "../support/koa-test.js";
import { plainCard, serveFor } from "../support/peer.js";
import { BROWSER, blocksOf, browse, echo, pageAt, travel, unescaped } from "./browser.js";

test("a browser gets a page with the card, how to call the agent, and links", async (t) => {
  const { url } = await serveFor(t, { card: travel, execute: echo }, { push: {}, docs: !isFetch });
  const html = await pageAt(url);
  const text = unescaped(html);
  for (const shown of [
    "Weekend planner",
    "Plans a weekend.",
    "Version 1.4.0 · by Example Travel · Documentation",
    "an open protocol on top of HTTP",
    "Plan two days",
    "With a budget.",
    "Oslo, it's for 300 €",
    "gives application/pdf",
    "Callers can watch a task",
    "The agent can call a webhook",
    "https://ext.example/v1: Adds maps",
    "Anyone: no credentials are needed.",
    `JSONRPC, version 1.0: ${url}`,
  ])
    assert.ok(text.includes(shown), shown);
  const links = Array.from(html.matchAll(/<a href="([^"]*)"/g), ([, href = ""]) => href);
  assert.deepEqual(
    links.filter((href) => href.startsWith(url)),
    ["/.well-known/agent-card.json", ...(isFetch ? [] : ["/openapi.json", "/docs"]), "/healthz"].map(
      (path) => url + path,
    ),
  );
  for (const href of links.filter((one) => one.startsWith(url)))
    assert.equal((await browse(href)).status, 200, href);
  assert.deepEqual(
    links.filter((href) => !href.startsWith(url)),
    [
      "https://travel.example/about",
      "https://travel.example/docs",
      "https://a2a-protocol.org/",
      "https://ext.example/v1",
    ],
  );
});

test("the page loads nothing, runs nothing, and only its own style applies", async (t) => {
  const { url } = await serveFor(t, { card: travel, execute: echo });
  const response = await browse(url);
  const html = await response.text();
  const [, style = ""] = /<style>([\s\S]*?)<\/style>/.exec(html) ?? [];
  const hash = createHash("sha256").update(style).digest("base64");
  assert.equal(
    response.headers.get("content-security-policy"),
    `default-src 'none'; style-src 'sha256-${hash}'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
  );
  assert.equal(response.headers.get("x-content-type-options"), "nosniff");
  assert.equal(response.headers.get("vary"), "Accept");
  assert.equal(response.headers.get("cache-control"), "no-cache");
  assert.doesNotMatch(html, /<script|<img|<iframe|\sstyle=|\son\w+=|\ssrc=|url\(|@import/);
  assert.deepEqual(html.match(/<link [^>]*>/g), ['<link rel="icon" href="data:,">']);
  assert.match(html, /<html lang="en">[\s\S]*<meta name="viewport" content="width=device-width/);
});

/** Relative luminance of a colour `#rrggbb` (WCAG 2.2). */
function luminance(colour: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => {
    const part = Number.parseInt(colour.slice(at, at + 2), 16) / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

test("text has the contrast of WCAG AA in light and in dark", async (t) => {
  const { url } = await serveFor(t, { card: travel, execute: echo });
  const [light, dark] = (await pageAt(url)).split("prefers-color-scheme: dark");
  for (const style of [light, dark]) {
    const colours = new Map(
      Array.from((style ?? "").matchAll(/--(\w+): (#[\da-f]{6});/g), ([, name, value]) => [name, value]),
    );
    for (const text of ["text", "quiet", "link"]) {
      for (const ground of ["page", "box"]) {
        const [one = 0, other = 0] = [text, ground].map((name) => luminance(colours.get(name) ?? ""));
        const contrast = (Math.max(one, other) + 0.05) / (Math.min(one, other) + 0.05);
        assert.ok(contrast >= 4.5, `${text} on ${ground}: ${contrast}`);
      }
    }
  }
});

test("callers who do not prefer HTML get what they get without the page", async (t) => {
  const shown = await serveFor(t, { card: plainCard, execute: echo });
  const without = await serveFor(t, { card: plainCard, execute: echo }, { page: false });
  const accepts = [
    undefined,
    "*/*",
    "application/json",
    "application/a2a+json, text/html",
    "text/html, application/json",
    "text/html;q=0.5, application/json",
    "text/html;q=0.5, */*;q=0.9",
    "text/html;q=0",
    "text/htmlx",
  ];
  for (const accept of accepts) {
    const headers = accept === undefined ? {} : { Accept: accept };
    const [one, other] = await Promise.all([fetch(shown.url, { headers }), fetch(without.url, { headers })]);
    assert.deepEqual([one.status, await one.text()], [other.status, await other.text()], accept);
    assert.equal(one.headers.get("content-type"), other.headers.get("content-type"), accept);
    assert.equal(one.headers.get("vary"), "Accept", accept);
    assert.equal(other.headers.get("vary"), null, accept);
  }
  const off = await browse(without.url);
  assert.equal(off.status, 405);
  assert.match(off.headers.get("content-type") ?? "", /json/);
});

test("only GET and HEAD get the page: a call is answered whatever it accepts", async (t) => {
  const { url, rpc } = await serveFor(t, { card: plainCard, execute: echo });
  const { result, response } = await rpc.call(
    "SendMessage",
    { message: { messageId: "m", role: "ROLE_USER", parts: [{ text: "hi" }] } },
    { Accept: BROWSER },
  );
  assert.equal(result.message.parts[0].text, "anyone said hi");
  assert.equal(response.headers.get("vary"), null);
  const head = await fetch(url, { method: "HEAD", headers: { Accept: BROWSER } });
  assert.equal(head.headers.get("content-type"), "text/html; charset=utf-8");
  assert.equal(head.headers.get("content-length"), String(Buffer.byteLength(await pageAt(url))));
});

test("markup in a card is text on the page, and only addresses of the web are links", async (t) => {
  const bad = `"'></code></pre></style><script>alert(1)</script><img src=x onerror=alert(1)>&amp;`;
  const card: CardInput = {
    name: bad,
    description: bad,
    version: bad,
    provider: { organization: bad, url: `javascript:alert(1)//${bad}` },
    documentationUrl: `data:text/html,${bad}`,
    iconUrl: `javascript:${bad}`,
    defaultInputModes: [bad],
    defaultOutputModes: [bad],
    capabilities: { extensions: [{ uri: `javascript:${bad}`, description: bad }] },
    securitySchemes: {
      [bad]: { apiKeySecurityScheme: { location: "header", name: "x-key", description: bad } },
      login: { openIdConnectSecurityScheme: { openIdConnectUrl: `javascript:${bad}`, description: bad } },
    },
    securityRequirements: [{ schemes: { [bad]: { list: [] } } }, { schemes: { login: { list: [] } } }],
    skills: [
      {
        id: bad,
        name: bad,
        description: bad,
        tags: [bad],
        examples: [bad],
        inputModes: [bad],
        outputModes: [bad],
      },
    ],
  };
  const auth = { verifiers: { [bad]: apiKeys({ k: "alice" }), login: bearerTokens({ t: "bob" }) } };
  const options: ServeOptions = { auth, logger: false };
  const one = await serveFor(t, { card, execute: echo }, options);
  const several = await serveHere({ "/one": { card, execute: echo } }, { port: 0, ...options });
  t.onTestFinished(() => several.close());
  for (const html of [await pageAt(one.url), await pageAt(several.url), await pageAt(`${several.url}/one`)]) {
    const tags = new Set(html.replace(/<style>[\s\S]*?<\/style>/, "").match(/<[^>]*>/g));
    const plain = /^<\/?(html|head|body|main|title|h[1-3]|p|ul|li|dl|dt|dd|pre|code|a)>$/;
    const known =
      /^<(!doctype html|html lang="en"|meta [\w"= -]+(, initial-scale=1")?|link rel="icon" href="data:,"|p class="\w+"|a href="https?:\/\/[^"'<>]*" rel="noreferrer")>$/;
    for (const tag of tags) assert.ok(plain.test(tag) || known.test(tag), tag);
    assert.ok(unescaped(html).includes(bad));
    assert.doesNotMatch(html, /href="(?!https?:|data:,")/);
  }
});

test("a server with several agents has a list of them at its root, and a page for each", async (t) => {
  const agents = {
    "/one": { card: { ...plainCard, name: "First" }, execute: echo },
    "/two": { card: { ...plainCard, name: "Second", description: "The other." }, execute: echo },
  };
  const server = await serveHere(agents, { port: 0 });
  t.onTestFinished(() => server.close());
  const list = await pageAt(server.url);
  assert.match(
    unescaped(list),
    /This server has 2 agents: programs that do work[\s\S]*First[\s\S]*Second\s+The other\./,
  );
  const links = Array.from(list.matchAll(/<h2><a href="([^"]*)"/g), ([, href = ""]) => href);
  assert.deepEqual(links, [`${server.url}/one`, `${server.url}/two`]);
  for (const [index, link] of links.entries()) {
    for (const path of [link, `${link}/`])
      assert.ok((await pageAt(path)).includes(`<h1>${index === 0 ? "First" : "Second"}</h1>`));
  }
  const json = await fetch(server.url);
  assert.equal(json.headers.get("vary"), "Accept");
  const { agents: listed } = (await json.json()) as { agents: { name: string }[] };
  assert.deepEqual(
    listed.map(({ name }) => name),
    ["First", "Second"],
  );
  const off = await serveHere(agents, { port: 0, page: false });
  t.onTestFinished(() => off.close());
  for (const path of ["", "/one"])
    assert.match((await browse(off.url + path)).headers.get("content-type") ?? "", /^application\/json/);
});

test("a server with one agent at a path says so at its root", async (t) => {
  const { url } = await serveFor(t, { "/one": { card: plainCard, execute: echo } });
  assert.match(await pageAt(url), /This server has one agent: a program that does work/);
});

test("the page names the address that its reader has used", async (t) => {
  const agent = { card: plainCard, execute: echo };
  const { url } = await serveFor(t, agent, { trustProxy: true });
  const shown = async (headers: Record<string, string>) => {
    const [curl = ""] = blocksOf(
      await (await fetch(url, { headers: { Accept: BROWSER, ...headers } })).text(),
    );
    return /^curl '([^']*)'/.exec(curl)?.[1];
  };
  assert.equal(
    await shown({ "X-Forwarded-Host": "a.example", "X-Forwarded-Proto": "https" }),
    "https://a.example",
  );
  assert.equal(
    await shown({ "X-Forwarded-Host": "b.example", "X-Forwarded-Prefix": "/x" }),
    "http://b.example/x",
  );
  assert.equal(await shown({ "X-Forwarded-Host": "'; rm -rf /; '" }), url);
});

async function listen(t: TestContext, listener: Parameters<typeof createServer>[1]): Promise<string> {
  const server = createServer(listener).listen(0, "127.0.0.1");
  t.onTestFinished(() => void server.close());
  await once(server, "listening");
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

koaTest("an application that agents are mounted in keeps its own root", async (t) => {
  const agent = { card: plainCard, execute: echo };
  const koa = createApp({ "/agent": agent });
  koa.use((ctx) => {
    if (ctx.path === "/") ctx.body = "my own root";
  });
  const app = express();
  app.use("/agent", createApp(agent).callback());
  app.get("/", (_, res) => void res.send("my own root"));
  for (const url of [await listen(t, koa.callback()), await listen(t, app)]) {
    for (const accept of [BROWSER, "*/*"])
      assert.equal(await (await browse(url, accept)).text(), "my own root");
    assert.match(await pageAt(`${url}/agent`), /<h1>Test agent<\/h1>/);
  }
  const plain = await listen(t, createApp({ "/agent": agent }).callback());
  assert.match(await pageAt(plain), /<h1>Agents<\/h1>/);
});
