import assert from "node:assert/strict";
import { describe, test } from "vitest";
import { differenceBetween } from "../../../src/inspector/page/screens/card/card-difference.js";
import { type CardPlace, findCardPlaces } from "../../../src/inspector/page/screens/card/card-places.js";
import { judgeCard } from "../../../src/inspector/page/screens/card/judge-card.js";
import { keepCard } from "../../../src/inspector/page/screens/card/last-card.js";
import { readKeys, signatureHeaders } from "../../../src/inspector/page/screens/card/signature-keys.js";

const card = {
  ...{ name: "Writer", description: "Writes.", version: "1.0.0", capabilities: {}, skills: [] },
  ...{ defaultInputModes: ["text/plain"], defaultOutputModes: ["text/plain"] },
  supportedInterfaces: [{ url: "https://a.example/", protocolBinding: "JSONRPC", protocolVersion: "1.0" }],
};

describe("places of a card", () => {
  test("are all asked, and those with a card again in every version", async () => {
    const asked: string[] = [];
    const fetch: typeof globalThis.fetch = async (input, init) => {
      const { pathname } = new URL(String(input));
      const version = new Headers(init?.headers).get("a2a-version");
      asked.push(`${pathname} ${version}`);
      if (pathname === "/a/.well-known/agent.json") throw new TypeError("cut");
      if (pathname === "/a/agentCard") return new Response("<p>", { status: 200 });
      return pathname === "/a" ? new Response("", { status: 404 }) : Response.json({ ...card, version });
    };
    const places = await findCardPlaces({ agent: "https://a.example/a", fetch, versions: ["1.0", "0.3"] });
    assert.deepEqual(asked.slice(4), [
      "/a/.well-known/agent-card.json 1.0",
      "/a/.well-known/agent-card.json 0.3",
    ]);
    assert.deepEqual(
      places.map(({ version, value, problem }) => [version, value !== undefined, problem]),
      [
        [undefined, true, undefined],
        [undefined, false, "cut"],
        [undefined, false, "The answer is not JSON"],
        [undefined, false, "Status 404"],
        ["1.0", true, undefined],
        ["0.3", true, undefined],
      ],
    );
  });
});

describe("checks of a card", () => {
  const place = (value: object): CardPlace => ({
    ...{ url: "https://a.example/.well-known/agent-card.json", version: undefined, status: 200, value },
    ...{
      headers: { "content-type": "application/json", etag: '"1"' },
      requestHeaders: {},
      problem: undefined,
    },
    text: JSON.stringify(value),
  });
  const fetch: typeof globalThis.fetch = async (_, init) =>
    new Headers(init?.headers).has("if-none-match")
      ? new Response(null, { status: 304 })
      : Response.json(card);

  test("name the requirements that are met and violated", async () => {
    const { rules, faults, earlierVersion } = await judgeCard(place(card), fetch);
    const violated = rules.filter(({ verdict }) => verdict === "violated");
    assert.deepEqual(
      violated.flatMap(({ ids }) => ids),
      ["DISC-07"],
    );
    assert.ok(rules.some(({ ids, verdict }) => ids.includes("DISC-10") && verdict === "met"));
    assert.deepEqual([faults, earlierVersion], [[], undefined]);
  });

  test("find members of the wrong type", async () => {
    const { rules, faults } = await judgeCard(
      place({ ...card, supportedInterfaces: [{ url: "ftp:" }], name: 5 }),
      fetch,
    );
    const ids = rules.filter(({ verdict }) => verdict === "violated").flatMap((rule) => rule.ids);
    assert.ok(ids.includes("CARD-01") && ids.includes("CARD-04") && ids.includes("CARD-10"), ids.join());
    assert.ok(faults.length > 0);
  });

  test("of an earlier card say its version and read it member by member", async () => {
    const { supportedInterfaces: _, ...common } = card;
    const old = {
      ...common,
      url: "https://a.example/",
      protocolVersion: "0.3.0",
      preferredTransport: "JSONRPC",
    };
    const found = await judgeCard(place(old), fetch);
    assert.deepEqual([found.earlierVersion, found.rules, found.faults], ["0.3", [], []]);
  });
});

describe("the difference between two cards", () => {
  test("names what was added, removed and changed; entries of lists by their ids", () => {
    const before = { name: "A", skills: [{ id: "x", tags: ["a"] }, { id: "y" }], gone: 1 };
    const after = { name: "B", skills: [{ id: "new" }, { id: "y" }, { id: "x", tags: ["b"] }] };
    const seen = differenceBetween(before, after).map(({ kind, path }) => `${kind} ${path}`);
    assert.deepEqual(seen, ["changed name", "added skills.new", "changed skills.x.tags.0", "removed gone"]);
    assert.deepEqual(differenceBetween(before, structuredClone(before)), []);
    assert.deepEqual(
      differenceBetween([{ id: "a" }, { id: "a" }], [{ id: "a" }]).map(({ path }) => path),
      ["a", "0", "1"],
    );
  });

  test("is taken to the card of the last time, and 20 cards are kept", () => {
    const items = new Map<string, string>();
    const storage = new Proxy({} as Storage, {
      get: (_, name) =>
        ({
          getItem: (key: string) => items.get(key) ?? null,
          setItem: (key: string, value: string) => items.set(key, value),
          removeItem: (key: string) => items.delete(key),
        })[String(name)],
      ownKeys: () => [...items.keys()],
      getOwnPropertyDescriptor: () => ({ enumerable: true, configurable: true }),
    });
    const at = new Date("2026-01-01T00:00:00Z");
    assert.equal(keepCard("https://a/", { v: 1 }, storage, at), undefined);
    assert.deepEqual(keepCard("https://a/", { v: 2 }, storage), { at: at.toISOString(), value: { v: 1 } });
    for (let index = 0; index < 30; index++) keepCard(`https://b/${index}`, {}, storage);
    assert.equal(items.size, 20);
  });
});

test("trusted keys are a key, a list or a set; other text is refused with a reason", () => {
  const key = { kty: "EC", kid: "k1" };
  for (const text of [key, [key], { keys: [key] }]) {
    assert.deepEqual(readKeys(JSON.stringify(text)), [{ kid: "k1", key }]);
  }
  assert.deepEqual(readKeys(" "), []);
  assert.throws(() => readKeys("-----BEGIN"), /not JSON/);
  assert.throws(() => readKeys('{"kty":"EC"}'), /"kid"/);
});

test("headers of signatures are decoded, also broken ones", () => {
  const header = Buffer.from('{"alg":"ES256","kid":"k"}').toString("base64url");
  const signatures = [{ protected: header, signature: "x" }, { protected: "%%%" }, null];
  const [first, second, third] = signatureHeaders({ signatures });
  assert.deepEqual(first, { alg: "ES256", kid: "k" });
  assert.ok(second && "problem" in second && third && "problem" in third);
  assert.deepEqual(signatureHeaders({}), []);
});
