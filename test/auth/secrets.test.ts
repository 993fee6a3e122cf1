import assert from "node:assert/strict";
import { inspect } from "node:util";
import { test, vi } from "vitest";
import { A2AError, type CallContext } from "../../src/index.js";
import {
  type AuthOptions,
  apiKeys,
  basicUsers,
  bearerTokens,
  clientCertificates,
  jsonWebTokens,
  type Verifier,
} from "../../src/server/index.js";
import { cardOf, schemes } from "./card.js";
import { basic, bearer, serveGuarded, whoAmI } from "./guarded.js";
import { inSeconds, makeIssuer } from "./issuer.js";

/** No part of this may be anywhere but in requests. */
const SECRET = "planted-secret-7391";
const encoded = Buffer.from(SECRET).toString("base64").replace(/=+$/, "");

/** Everything that the process writes, besides what tests report. */
function listen(): string[] {
  const written: string[] = [];
  for (const stream of [process.stdout, process.stderr]) {
    const write = stream.write.bind(stream) as (...given: unknown[]) => boolean;
    vi.spyOn(stream, "write").mockImplementation((...given: unknown[]) => {
      written.push(String(given[0]));
      return write(...given);
    });
  }
  return written;
}

function assertClean(where: string, texts: readonly string[]): void {
  for (const text of texts) {
    assert.ok(!text.includes(SECRET), `a secret in ${where}: ${text}`);
    assert.ok(!text.includes(encoded.slice(0, -1)), `an encoded secret in ${where}: ${text}`);
  }
}

const kinds: readonly ("bearer" | "basic" | "key" | "queryKey" | "cookieKey")[] = [
  "bearer",
  "basic",
  "key",
  "queryKey",
  "cookieKey",
];

/** Verifiers of every kind that do the same thing with what they are given. */
function everywhere(check: (secret: string) => string | undefined): Record<string, Verifier> {
  const one = async (secret: string) => check(secret);
  return {
    bearer: bearerTokens(one),
    basic: basicUsers(({ user, password }) => one(`${user} and ${password}`)),
    key: apiKeys(one),
    queryKey: apiKeys(one),
    cookieKey: apiKeys(one),
    mtls: clientCertificates(),
  };
}

const attempts: Record<string, string>[] = [
  bearer(SECRET),
  bearer(`${SECRET} ${SECRET}`),
  basic("user", SECRET),
  basic(SECRET, "password"),
  { Authorization: `Basic ${SECRET}` },
  { Authorization: SECRET },
  { Authorization: `Odd ${SECRET}` },
  { "X-API-Key": SECRET },
  { Cookie: `session=${SECRET}` },
  { Cookie: `session=${SECRET}; session=${SECRET}` },
];

const behaviours: Record<string, AuthOptions> = {
  "refuse it": { verifiers: everywhere(() => undefined) },
  "throw it": {
    verifiers: everywhere((secret) => {
      throw new Error(`no luck with ${secret}`, { cause: new TypeError(`because of ${secret}`) });
    }),
  },
  "throw it as text": {
    verifiers: everywhere((secret) => {
      const thrown: unknown = `no luck with ${secret}`;
      throw thrown;
    }),
  },
  "hang it on an error": {
    verifiers: everywhere((secret) => {
      throw Object.assign(new Error("no luck"), { config: { headers: { authorization: secret } } });
    }),
  },
  "answer with it": {
    verifiers: everywhere((secret) => {
      throw new A2AError("UNAVAILABLE", `Cannot look up ${secret}`, { cause: new Error(secret) });
    }),
  },
  "answer with it in their facts": {
    verifiers: everywhere((secret) => {
      throw new A2AError("UNAVAILABLE", "Cannot look it up", {
        metadata: { looked: `for ${secret}`, [secret]: "was shown" },
        violations: [{ field: secret, description: `${secret} is odd` }],
      });
    }),
  },
  "name nobody": { verifiers: everywhere(() => "") },
  "repeat it in authenticate": {
    authenticate: ({ headers, query }) => {
      throw new Error(`${headers.authorization} ${headers.cookie} ${headers["x-api-key"]} ${query}`);
    },
  },
};

for (const [name, auth] of Object.entries(behaviours)) {
  test(`SEC-12, SEC-13, ERR-25: credentials get into no answer, log or output when checks ${name}`, async (t) => {
    const written = listen();
    const card = cardOf(schemes, ...kinds.map((kind) => [kind]));
    const { peers, url, lines, denials } = await serveGuarded(t, card, auth);
    const answers: string[] = [];
    const note = async (response: Response) => {
      answers.push(JSON.stringify([...response.headers]), await response.text());
      assert.ok(response.status !== 200 || answers.at(-1)?.includes('"error"'), answers.at(-1));
    };
    for (const headers of attempts) {
      for (const peer of peers) {
        const { response, result, ...error } = await whoAmI(peer, headers);
        assert.equal(result, undefined);
        answers.push(JSON.stringify([...response.headers]), JSON.stringify(error));
      }
    }
    await note(await fetch(`${url}/tasks?api_key=${SECRET}&A2A-Version=1.0`));
    const rpc = { method: "POST", body: '{"jsonrpc":"2.0","id":1,"method":"ListTasks"}' };
    await note(await fetch(`${url}/?api_key=${SECRET}&A2A-Version=1.0`, rpc));
    assert.ok(lines.filter(({ text }) => !text.startsWith("Agent card")).length >= attempts.length);
    assertClean("an answer", answers);
    assertClean(
      "the log",
      lines.map((line) => inspect(line, { depth: 20, showHidden: true })),
    );
    assertClean("the audit", [inspect(denials, { depth: 20, showHidden: true })]);
    assertClean("the output", written);
  });
}

test("an error of a verifier keeps its code and its challenge, whatever its facts are", async (t) => {
  const challenge = 'Bearer realm="elsewhere"';
  const facts = [Object.create(null), Symbol("odd"), [SECRET], 7, undefined];
  const { peers } = await serveGuarded(t, cardOf({ bearer: schemes.bearer }, ["bearer"]), {
    verifiers: {
      bearer: bearerTokens(() => {
        throw new A2AError("UNAUTHENTICATED", "Sign in elsewhere", {
          challenge,
          metadata: Object.fromEntries(facts.map((fact, at) => [`fact${at}`, fact])),
          violations: facts.map((fact) => ({ field: fact, description: fact })),
        });
      }),
    },
  });
  for (const peer of peers) {
    const { response, ...answer } = await whoAmI(peer, bearer(SECRET));
    assert.deepEqual(
      [answer.error, response.headers.get("www-authenticate")],
      ["UNAUTHENTICATED", challenge],
    );
    assertClean("an answer", [JSON.stringify(answer)]);
  }
});

test("SEC-12: rules of the application that fail do not give away what the caller has shown", async (t) => {
  const fail = ({ headers }: CallContext): never => {
    throw new Error(`failed for ${headers.authorization}`, { cause: new Error(SECRET) });
  };
  for (const rules of [
    { authorize: fail },
    { tenants: (_: string, call: CallContext) => fail(call) },
    { scope: fail },
  ]) {
    const { peers, lines } = await serveGuarded(t, cardOf({ bearer: schemes.bearer }, ["bearer"]), {
      verifiers: { bearer: bearerTokens({ [SECRET]: "alice" }) },
      ...rules,
    });
    for (const peer of peers) {
      const { response, ...answer } = await whoAmI(peer, bearer(SECRET));
      assert.equal(answer.error, "INTERNAL_ERROR");
      assertClean("an answer", [JSON.stringify(answer)]);
    }
    assert.ok(lines.some(({ facts }) => String(facts.err).includes("failed for")));
    assertClean("the log", [inspect(lines, { depth: 20, showHidden: true })]);
  }
});

test("SEC-12: the claims of a refused token get nowhere", async (t) => {
  const issuer = await makeIssuer();
  const { peers, lines, denials } = await serveGuarded(t, cardOf({ bearer: schemes.bearer }, ["bearer"]), {
    verifiers: {
      bearer: jsonWebTokens({ issuer: issuer.name, audience: "https://agent.example", keys: issuer.keys }),
    },
  });
  for (const claims of [{ exp: inSeconds(-60) }, { aud: "https://other.example" }, { iss: SECRET }]) {
    const token = await issuer.token({ email: SECRET, sub: SECRET, ...claims });
    for (const peer of peers) {
      const { response, ...answer } = await whoAmI(peer, bearer(token));
      assertClean("an answer", [JSON.stringify(answer), JSON.stringify([...response.headers])]);
    }
  }
  assert.equal(denials.length, 6);
  assertClean("log and audit", [inspect([lines, denials], { depth: 20, showHidden: true })]);
});

test("SEC-12: who was turned away is told to the audit, not to the log", async (t) => {
  const { rest, lines, denials } = await serveGuarded(t, cardOf({ bearer: schemes.bearer }, ["bearer"]), {
    verifiers: { bearer: bearerTokens({ token: "alice@example.com" }) },
    authorize: () => false,
  });
  assert.equal((await whoAmI(rest, bearer("token"))).error, "PERMISSION_DENIED");
  assert.equal(denials[0]?.principal.id, "alice@example.com");
  assert.deepEqual(
    lines.filter(({ level }) => level === "warn"),
    [
      {
        level: "warn",
        facts: { agent: "Guarded agent", operation: "SendMessage", code: "PERMISSION_DENIED", reasons: {} },
        text: "A caller was refused",
      },
    ],
  );
});

test("SEC-13: an audit that fails does not change the answer", async (t) => {
  const { rest, lines } = await serveGuarded(t, cardOf({ key: schemes.key }, ["key"]), {
    verifiers: { key: apiKeys({ secret: "a" }) },
    audit: () => {
      throw new Error("disk full");
    },
  });
  assert.equal((await whoAmI(rest)).error, "UNAUTHENTICATED");
  assert.ok(lines.some(({ facts }) => String(facts.err).includes("disk full")));
});
