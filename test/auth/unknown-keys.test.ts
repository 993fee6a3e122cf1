import assert from "node:assert/strict";
import { test } from "vitest";
import { jsonWebTokens } from "../../src/server/index.js";
import { cardOf, schemes } from "./card.js";
import { bearer, serveGuarded, whoAmI } from "./guarded.js";
import { makeIssuer, serveDocuments } from "./issuer.js";

const TOKENS = 24;
const card = cardOf({ bearer: schemes.bearer }, ["bearer"]);

test("SEC-08: 24 tokens that name 24 unknown keys, one by one and at once, cause two fetches of the key set at most", async (t) => {
  const issuer = await makeIssuer();
  const { url, asked } = await serveDocuments(t, { "/keys": issuer.keys });
  const { rpc } = await serveGuarded(t, card, {
    verifiers: {
      bearer: jsonWebTokens({
        issuer: issuer.name,
        audience: "https://agent.example",
        keys: `${url}/keys`,
      }),
    },
  });
  const unknown = async (_: unknown, index: number) =>
    whoAmI(rpc, bearer(await issuer.token({}, { kid: `made-up-${index}` })));
  const answers = await Promise.all(Array.from({ length: TOKENS / 2 }, unknown));
  for (let index = TOKENS / 2; index < TOKENS; index += 1) answers.push(await unknown(undefined, index));
  for (const { error } of answers) assert.equal(error, "UNAUTHENTICATED");
  assert.ok(asked.length >= 1 && asked.length <= 2, `the key set was fetched ${asked.length} times`);
  assert.equal((await whoAmI(rpc, bearer(await issuer.token()))).principal.id, "alice");
});
