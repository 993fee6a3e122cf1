import assert from "node:assert/strict";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { type TestContext, test } from "vitest";
import { UrlRefused } from "../../../src/push/url-guard/check-url.js";
import { UrlGuard, type UrlGuardOptions } from "../../../src/push/url-guard/url-guard.js";
import { canary } from "../canary.js";
import { inwardUrls } from "../inward-urls.js";
import { Webhook } from "../webhook.js";
import { certificate } from "./certificate.js";

function guardFor(t: TestContext, options: UrlGuardOptions = {}): UrlGuard {
  const guard = new UrlGuard(options);
  t.onTestFinished(() => guard.close());
  return guard;
}

/** A resolver that gives the next of these answers on each call, and notes the names it was asked for. */
function answers(...sequence: readonly (readonly string[])[]) {
  const asked: string[] = [];
  const resolve = async (name: string) => {
    asked.push(name);
    return sequence[Math.min(asked.length, sequence.length) - 1] ?? [];
  };
  return { resolve, asked };
}

const PUBLIC = ["93.184.215.14"];

test("SEC-04, PUSH-16: no form of a URL of this machine gets past the guard", async (t) => {
  const server = await canary(t);
  const guard = guardFor(t, { allowHttp: true });
  for (const [form, url] of Object.entries(inwardUrls(server.port))) {
    await assert.rejects(guard.check(url), UrlRefused, form);
    await assert.rejects(guard.request(url), UrlRefused, form);
  }
  assert.equal(server.connections(), 0);
});

test("SEC-05: with the switch for private networks every form of it arrives", async (t) => {
  const server = await canary(t);
  const guard = guardFor(t, {
    allowHttp: true,
    allowPrivateNetworks: true,
    resolve: async () => ["127.0.0.1"],
  });
  const urls = inwardUrls(server.port);
  for (const [form, url] of Object.entries(urls)) {
    await guard.check(url);
    const { status } = await guard.request(url);
    assert.equal(status, 204, form);
  }
  assert.equal(server.requests.length, Object.keys(urls).length);
});

test("PUSH-16: a name whose address turns inward between check and connect is refused at connecting", async (t) => {
  const server = await canary(t);
  const { resolve, asked } = answers(PUBLIC, ["127.0.0.1"]);
  const guard = guardFor(t, { allowHttp: true, resolve });
  const url = `http://rebinding.example:${server.port}/`;
  await guard.check(url);
  await assert.rejects(guard.request(url), UrlRefused);
  assert.deepEqual(asked, ["rebinding.example", "rebinding.example"]);
  assert.equal(server.connections(), 0);
});

test("PUSH-16: the connection goes to the address that was checked; the name is not resolved again", async (t) => {
  const server = await canary(t);
  const { resolve, asked } = answers(["127.0.0.1"], ["192.0.2.1"]);
  const guard = guardFor(t, { allowHttp: true, allowPrivateNetworks: true, resolve });
  const { status } = await guard.request(`http://pinned.example:${server.port}/`);
  assert.equal(status, 204);
  assert.deepEqual(asked, ["pinned.example"]);
  assert.equal(server.requests[0]?.headers.host, `pinned.example:${server.port}`);
});

test("a connection tries several addresses of a name, but not all that a name server can list", async (t) => {
  const webhook = await Webhook.open(t);
  const closed = Array.from({ length: 8 }, (_, index) => `127.0.0.${index + 2}`);
  const call = (addresses: readonly string[]) => {
    const guard = guardFor(t, {
      allowHttp: true,
      allowPrivateNetworks: true,
      resolve: async () => addresses,
    });
    const url = `http://many.example:${webhook.port}/`;
    return guard.request(url, { method: "POST", body: "{}" });
  };
  assert.equal((await call([...closed.slice(1), "127.0.0.1"])).status, 204);
  await assert.rejects(call([...closed, "::1", "127.0.0.1"]));
  assert.equal(webhook.arrivals.length, 1);
});

test("an empty list of addresses has the name resolved", async (t) => {
  const server = await canary(t);
  const { resolve, asked } = answers(["127.0.0.1"]);
  const guard = guardFor(t, { allowHttp: true, allowPrivateNetworks: true, resolve });
  const { status } = await guard.request(`http://unlocated.example:${server.port}/`, { addresses: [] });
  assert.equal(status, 204);
  assert.deepEqual(asked, ["unlocated.example"]);
});

test("SEC-04: one private address among public ones refuses the name, in every place", async (t) => {
  for (const addresses of [
    ["127.0.0.1", ...PUBLIC],
    [...PUBLIC, "::1"],
    [...PUBLIC, "::ffff:10.0.0.1"],
  ]) {
    const guard = guardFor(t, { resolve: async () => addresses });
    await assert.rejects(guard.check("https://mixed.example/"), UrlRefused);
    await assert.rejects(guard.request("https://mixed.example/"), UrlRefused);
  }
});

test("a name that does not resolve passes the check and fails the request", async (t) => {
  const failing = guardFor(t, {
    resolve: async () => {
      throw new Error("no name server");
    },
  });
  await failing.check("https://unknown.example/");
  await assert.rejects(failing.request("https://unknown.example/"), /no name server/);
  const empty = guardFor(t, { resolve: async () => [] });
  await empty.check("https://empty.example/");
  await assert.rejects(empty.request("https://empty.example/"), /no address/);
});

test("a name server that never answers holds a check up for a bounded time", async (t) => {
  const waits: number[] = [];
  const clock = {
    now: () => 0,
    schedule(delay: number, run: () => void) {
      waits.push(delay);
      setImmediate(run);
      return () => {};
    },
  };
  const guard = guardFor(t, { resolve: () => new Promise(() => {}), clock });
  await guard.check("https://tarpit.example/");
  assert.deepEqual(waits, [2000]);
});

test("PUSH-15: a redirect to loopback is an answer, not a way", async (t) => {
  const inner = await canary(t);
  const outer = await canary(t, (_request, response) =>
    response.writeHead(307, { Location: `http://127.0.0.1:${inner.port}/` }).end(),
  );
  const guard = guardFor(t, { allowHttp: true, allowPrivateNetworks: true });
  const { status } = await guard.request(`http://127.0.0.1:${outer.port}/`, { method: "POST", body: "x" });
  assert.equal(status, 307);
  assert.equal(inner.connections(), 0);
});

test("an endless answer is judged by its headers and cut off", async (t) => {
  let closed!: () => void;
  const end = new Promise<void>((resolve) => {
    closed = resolve;
  });
  const server = await canary(t, (_request, response) => {
    response.writeHead(200);
    const chunk = Buffer.alloc(16 * 1024);
    const more = () => {
      while (!response.destroyed && response.write(chunk));
    };
    response.on("drain", more).on("close", closed);
    more();
  });
  const guard = guardFor(t, { allowHttp: true, allowPrivateNetworks: true });
  const { status, body } = await guard.request(`http://127.0.0.1:${server.port}/`);
  assert.equal(status, 200);
  assert.equal(body.length, 0);
  await end;
});

test("a body that is asked for is read up to its limit", async (t) => {
  const server = await canary(t, (_request, response) => response.end("twelve bytes"));
  const guard = guardFor(t, { allowHttp: true, allowPrivateNetworks: true });
  const url = `http://127.0.0.1:${server.port}/`;
  const { body } = await guard.request(url, { maxBytes: 12 });
  assert.equal(Buffer.from(body).toString(), "twelve bytes");
  await assert.rejects(guard.request(url, { maxBytes: 11 }), /longer than 11/);
});

test("PUSH-10: an answer that does not come, or does not end, is given up after the time limit", async (t) => {
  const server = await canary(t, (request, response) => {
    if (request.url === "/slow-body") response.writeHead(200).write("x");
  });
  const guard = guardFor(t, { allowHttp: true, allowPrivateNetworks: true });
  const at = (path: string) => `http://127.0.0.1:${server.port}${path}`;
  await assert.rejects(guard.request(at("/nothing"), { timeout: 50 }), /within 50 ms/);
  await assert.rejects(
    guard.request(at("/slow-body"), { timeout: 50, maxBytes: 10 }),
    /within 50 ms|aborted/,
  );
});

test("an abort ends a request at once", async (t) => {
  const server = await canary(t, () => {});
  const guard = guardFor(t, { allowHttp: true, allowPrivateNetworks: true });
  const controller = new AbortController();
  const request = guard.request(`http://127.0.0.1:${server.port}/`, { signal: controller.signal });
  setImmediate(() => controller.abort());
  await assert.rejects(request, { name: "AbortError" });
});

test("SEC-15: a line break in a header is refused before anything is sent", async (t) => {
  const server = await canary(t);
  const guard = guardFor(t, { allowHttp: true, allowPrivateNetworks: true });
  const headers = { Authorization: "Bearer a\r\nX-Injected: 1" };
  await assert.rejects(guard.request(`http://127.0.0.1:${server.port}/`, { headers }), /Invalid character/);
  assert.equal(server.requests.length, 0);
});

test("connections are kept, and a stale one costs no request", async (t) => {
  const sockets = new Set<unknown>();
  const server = await canary(t, (request, response) => {
    sockets.add(request.socket);
    response.writeHead(204).end();
  });
  const guard = guardFor(t, { allowHttp: true, allowPrivateNetworks: true });
  const url = `http://127.0.0.1:${server.port}/`;
  await guard.request(url);
  await new Promise((resolve) => setImmediate(resolve));
  await guard.request(url);
  assert.equal(sockets.size, 1);
  // The server resets the connection just when the next request goes out.
  const kept = server.requests[0]?.socket;
  const third = guard.request(url);
  kept?.resetAndDestroy();
  assert.equal((await third).status, 204);
});

test("a request in flight on a kept connection is not sent again when the guard closes", async (t) => {
  let arrived: () => void = () => undefined;
  const server = await canary(t, (_request, response) => {
    if (server.requests.length === 1) response.writeHead(204).end();
    else arrived();
  });
  const guard = guardFor(t, { allowHttp: true, allowPrivateNetworks: true });
  const url = `http://127.0.0.1:${server.port}/`;
  await guard.request(url);
  await new Promise((resolve) => setImmediate(resolve));
  const second = new Promise<void>((resolve) => {
    arrived = resolve;
  });
  const request = guard.request(url, { method: "POST", body: "two", timeout: 1000 });
  await second;
  guard.close();
  await assert.rejects(request, { code: "ECONNRESET" });
  assert.equal(server.requests.length, 2);
});

test("PUSH-16: over TLS the certificate is checked against the name, at the address that was checked", async (t) => {
  const names: unknown[] = [];
  const server = createServer(certificate, (request, response) => {
    names.push(request.headers.host?.split(":")[0]);
    response.writeHead(204).end();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  t.onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  const options = { allowPrivateNetworks: true, resolve: async () => ["127.0.0.1"] };
  const guard = guardFor(t, { ...options, ca: certificate.cert });
  assert.equal((await guard.request(`https://hooks.example.test:${port}/`)).status, 204);
  assert.deepEqual(names, ["hooks.example.test"]);
  await assert.rejects(guard.request(`https://other.example.test:${port}/`), {
    code: "ERR_TLS_CERT_ALTNAME_INVALID",
  });
  await assert.rejects(guardFor(t, options).request(`https://hooks.example.test:${port}/`), {
    code: "DEPTH_ZERO_SELF_SIGNED_CERT",
  });
});

test("idle connections to many hosts are kept up to a bound", async (t) => {
  const HOSTS = 100;
  const server = await canary(t, (request, response) => {
    open.add(request.socket);
    request.socket.once("close", () => open.delete(request.socket));
    response.writeHead(204).end();
  });
  const open = new Set<unknown>();
  const guard = guardFor(t, {
    allowHttp: true,
    allowPrivateNetworks: true,
    resolve: async () => ["127.0.0.1"],
  });
  for (let host = 0; host < HOSTS; host += 1) {
    await guard.request(`http://host-${host}.example:${server.port}/`);
  }
  while (open.size > 64) await new Promise((resolve) => setImmediate(resolve));
  assert.equal(server.connections(), HOSTS);
});
