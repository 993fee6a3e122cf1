import assert from "node:assert/strict";
import { chmodSync, existsSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "vitest";
import { type ExecutionContext, reply } from "../../src/index.js";
import { bearerTokens, serve } from "../../src/server/index.js";
import { oauth, startAgent, startIssuer } from "./issuer.js";
import { Terminal } from "./terminal.js";

const fileOf = (shell: Terminal) => join(shell.home, ".config", "a2a-cli", "logins.json");

test("A2ACLI_AUTH_005, A2ACLI_AUTH_007: auth login by device code; later calls use the token, and renew it", async (t) => {
  let pending = 2;
  let good = "token-1";
  const issuer = await startIssuer(t, ({ grant_type: grant }) => {
    if (grant === "refresh_token") {
      good = "token-2";
      return { access_token: good, refresh_token: "refresh-2", expires_in: 3600 };
    }
    if (pending-- > 0) return "authorization_pending";
    return { access_token: "token-1", refresh_token: "refresh-1", expires_in: 3600 };
  });
  const agent = await startAgent(t, oauth(issuer.url), (token) => token === good);
  const shell = new Terminal(t, agent);
  assert.equal((await shell.parley("send", "hi")).exit, 4);

  const login = await shell.parley(
    "auth",
    "login",
    "--client-id",
    "me",
    "--allow-origin",
    issuer.url,
    "--debug",
    "-o",
    "json",
  );
  assert.equal(login.exit, 0, login.err);
  assert.match(login.err, /open http:\S+\/go and enter the code WDJB-MJHT/);
  assert.equal(login.json.agent, agent);
  assert.deepEqual(
    [login.json.scheme, login.json.flow, login.json.scopes],
    ["door", "device-code", ["open"]],
  );
  assert.ok(login.json.renewable);
  for (const secret of ["token-1", "refresh-1", "dc-secret"]) {
    assert.ok(!(login.err + login.out).includes(secret), `${secret} is shown`);
  }
  assert.equal(statSync(fileOf(shell)).mode & 0o777, 0o600);
  assert.equal(statSync(join(shell.home, ".config", "a2a-cli")).mode & 0o777, 0o700);
  assert.equal(issuer.forms[0]?.scope, "open");

  assert.match((await shell.parley("send", "hi")).out, /open/);
  good = "token-1 is over";
  const renewed = await shell.parley("send", "hi", "--debug");
  assert.equal(renewed.exit, 0, renewed.err);
  assert.equal(good, "token-2");
  assert.ok(!/token-[12]|refresh-[12]/.test(renewed.err), renewed.err);
  assert.match(readFileSync(fileOf(shell), "utf8"), /"token-2"/);
  assert.equal((await shell.parley("send", "hi", "-a", `${agent}/.well-known/agent-card.json`)).exit, 0);

  // A token that the caller names counts more.
  assert.equal((await shell.parley("send", "hi", "--bearer", "guess")).exit, 4);
  assert.equal(issuer.forms.filter(({ grant_type: grant }) => grant === "refresh_token").length, 1);
});

test("A2ACLI_AUTH_006: auth login by client credentials, with the secret from the environment", async (t) => {
  const issuer = await startIssuer(t, ({ grant_type: grant }) =>
    grant === "client_credentials" ? { access_token: "token-1", expires_in: 3600 } : "invalid_grant",
  );
  let good = "token-1";
  const agent = await startAgent(t, oauth(issuer.url, "clientCredentials"), (token) => token === good);
  const shell = new Terminal(t, agent);
  shell.env.A2ACLI_CLIENT_ID = "job";
  shell.env.A2ACLI_CLIENT_SECRET = "s3cret-value";
  const refused = await shell.parley("auth", "login");
  assert.equal(refused.exit, 2);
  assert.match(refused.err, /--allow-origin/);
  shell.env.A2ACLI_ALLOW_ORIGIN = issuer.url;
  const login = await shell.parley("auth", "login", "--debug");
  assert.equal(login.exit, 0, login.err);
  assert.match(login.out, /^Scheme: door \(client-credentials\)$/m);
  assert.deepEqual(issuer.forms, [
    { authorization: `Basic ${btoa("job:s3cret-value")}`, grant_type: "client_credentials", scope: "open" },
  ]);
  assert.ok(!readFileSync(fileOf(shell), "utf8").includes("s3cret"));
  assert.ok(!login.err.includes("s3cret-value"));
  assert.equal((await shell.parley("send", "hi")).exit, 0);

  good = "another";
  const ended = await shell.parley("send", "hi", "-o", "json");
  assert.equal(ended.exit, 4);
  assert.equal(ended.json.error.code, "A2ACLI_ERR_AUTH_FAILED");
  assert.match(ended.json.error.hint, /^parley auth login -a http\S+ --client-id job$/);
});

test("A2ACLI_AUTH_010: auth login at the issuer that OpenID Connect names", async (t) => {
  const issuer = await startIssuer(t, () => ({ access_token: "token-1" }));
  const openIdConnectUrl = `${issuer.url}/.well-known/openid-configuration`;
  const agent = await startAgent(
    t,
    { openIdConnectSecurityScheme: { openIdConnectUrl } },
    (token) => token === "token-1",
  );
  const shell = new Terminal(t, agent);
  const words = ["auth", "login", agent, "--client-id", "me", "--allow-origin", issuer.url];
  const login = await shell.parley(...words, "--scope", "openid", "--scope", "open", "-o", "json");
  assert.equal(login.exit, 0, login.err);
  assert.deepEqual(
    [login.json.scopes, login.json.expires, login.json.renewable],
    [["openid", "open"], null, false],
  );
  assert.equal(issuer.forms[0]?.scope, "openid open");
  assert.equal((await shell.parley("send", "hi")).exit, 0);
});

test("agents of one host that are named by a fragment have a login each", async (t) => {
  const issuers = await Promise.all(
    ["token-a", "token-b"].map((token) => startIssuer(t, () => ({ access_token: token }))),
  );
  const agents = issuers.map((issuer, at) => {
    const card = {
      name: at === 0 ? "Alpha" : "Beta Two",
      description: "Says who calls.",
      securitySchemes: { door: oauth(issuer.url) },
      securityRequirements: [{ schemes: { door: { list: [] } } }],
    };
    return [`/${at}`, { card, execute: ({ call }: ExecutionContext) => reply(call.principal.id) }] as const;
  });
  const auth = { verifiers: { door: bearerTokens({ "token-a": "ann", "token-b": "bob" }) } };
  const server = await serve(Object.fromEntries(agents), { catalog: true, auth });
  t.onTestFinished(() => server.close());
  const shell = new Terminal(t);
  shell.env.A2ACLI_ALLOW_ORIGIN = issuers.map(({ url }) => url).join(",");
  const [alpha, beta] = [`${server.url}#Alpha`, `${server.url}#Beta Two`];
  for (const agent of [alpha, beta]) {
    const { exit, err } = await shell.parley("auth", "login", agent, "--client-id", "me");
    assert.equal(exit, 0, err);
  }
  assert.match((await shell.parley("send", "hi", "-a", alpha)).out, /ann/);
  assert.match((await shell.parley("send", "hi", "-a", beta)).out, /bob/);
  assert.equal((await shell.parley("auth", "logout", beta, "-o", "json")).json.removed.length, 1);
  assert.equal((await shell.parley("send", "hi", "-a", beta)).exit, 4);
  assert.equal((await shell.parley("send", "hi", "-a", alpha)).exit, 0);
});

test("auth status shows logins without tokens, auth logout forgets them", async (t) => {
  const issuer = await startIssuer(t, () => ({
    access_token: "token-1",
    refresh_token: "refresh-1",
    expires_in: 60,
  }));
  const agent = await startAgent(t, oauth(issuer.url), () => true);
  const shell = new Terminal(t, agent);
  assert.equal((await shell.parley("auth", "status")).out, "Logins: none\n");
  assert.match((await shell.parley("auth", "login")).err, /No client id is specified/);
  await shell.parley("auth", "login", "--client-id", "me", "--allow-origin", issuer.url);
  const status = await shell.parley("auth", "status");
  assert.match(
    status.out,
    /^Agent: http.*\nScheme: door \(device-code\)\nClient: me\nScopes: open\nExpires: 2.*, renewed automatically\n$/,
  );
  const { logins } = (await shell.parley("auth", "status", "-o", "json")).json;
  assert.deepEqual(Object.keys(logins[0]), [
    "agent",
    "scheme",
    "flow",
    "clientId",
    "scopes",
    "expires",
    "renewable",
  ]);
  chmodSync(fileOf(shell), 0o644);
  assert.match(
    (await shell.parley("send", "hi")).err,
    /others can read the tokens in .*logins\.json: chmod 600 it/,
  );
  assert.equal((await shell.parley("auth", "logout", "elsewhere.example")).out, "Logins: none\n");
  assert.equal((await shell.parley("auth", "logout", "-o", "json")).json.removed[0].scheme, "door");
  assert.equal((await shell.parley("send", "hi")).exit, 4);
  assert.ok(!readFileSync(fileOf(shell), "utf8").includes("token-1"));
});

test("logins that cannot be made end with a word on why", async (t) => {
  const issuer = await startIssuer(t, () => "access_denied");
  const agent = await startAgent(t, oauth(issuer.url), () => false);
  const job = await startAgent(t, oauth(issuer.url, "clientCredentials"), () => false);
  const open = await serve({ card: { name: "A", description: "B" }, execute: () => reply("x") });
  t.onTestFinished(() => open.close());
  const shell = new Terminal(t, agent);
  shell.env.A2ACLI_ALLOW_ORIGIN = issuer.url;
  const attempt = async (...words: string[]) => {
    const { exit, err } = await shell.parley("auth", "login", "--client-id", "me", ...words);
    return [
      exit,
      err
        .replace(/^hint: open.*\n/, "")
        .split("\n")[0]
        ?.replace(issuer.url, ""),
    ];
  };
  assert.deepEqual(await attempt(), [
    4,
    "error: No token from /token: access_denied (A2ACLI_ERR_CREDENTIALS_MISSING)",
  ]);
  assert.deepEqual(await attempt(job), [2, "error: This login needs the client's secret (A2ACLI_ERR_USAGE)"]);
  assert.deepEqual(await attempt("--flow", "password"), [
    2,
    "error: --flow takes device-code or authorization-code or client-credentials (A2ACLI_ERR_USAGE)",
  ]);
  for (const [words, what] of [
    [["--scheme", "window"], ' by scheme "window"'],
    [["--flow", "client-credentials"], " by client-credentials"],
    [[open.url], ""],
  ] as const) {
    const text = `error: The card offers no login${what} that a command line can perform (A2ACLI_ERR_AUTH_FAILED)`;
    assert.deepEqual(await attempt(...words), [4, text]);
  }
  assert.ok(!existsSync(fileOf(shell)));
});

test("a file of logins that was damaged says so", async (t) => {
  const issuer = await startIssuer(t, () => ({ access_token: "t" }));
  const agent = await startAgent(t, oauth(issuer.url), () => true);
  const shell = new Terminal(t, agent);
  await shell.parley("auth", "login", "--client-id", "me", "--allow-origin", issuer.url);
  writeFileSync(fileOf(shell), "{");
  const { exit, err } = await shell.parley("send", "hi");
  assert.equal(exit, 1);
  assert.match(err, /is not a valid file of logins: remove it, and log in again \(PARLEY_ERR_FILE\)/);
});

test("a card from a file does not decide who gets credentials", async (t) => {
  const scheme = { httpAuthSecurityScheme: { scheme: "bearer" } };
  const url = await startAgent(t, scheme, (token) => token === "secret");
  const shell = new Terminal(t);
  const card = await (await fetch(`${url}/.well-known/agent-card.json`)).text();
  writeFileSync(join(shell.folder, "card.json"), card);
  const line = ["send", "hi", "-a", "./card.json", "--bearer", "secret"];
  const { exit, err } = await shell.parley(...line);
  assert.equal(exit, 2);
  assert.match(err, /error: .* to which the card points: http:[\s\S]*hint: --allow-origin <origin>/);
  const { origin } = new URL(url);
  assert.equal((await shell.parley(...line, "--allow-origin", origin)).exit, 0);
  // A card may name a login on the very origin that it names as the agent's.
  const issuer = await startIssuer(t, () => ({ access_token: "token-1" }));
  const stolen = { ...JSON.parse(card), securitySchemes: { door: oauth(issuer.url, "clientCredentials") } };
  stolen.supportedInterfaces[0].url = `${issuer.url}/a2a`;
  writeFileSync(join(shell.folder, "card.json"), JSON.stringify(stolen));
  shell.env.A2ACLI_CLIENT_SECRET = "s3cret";
  const login = await shell.parley("auth", "login", "-a", "./card.json", "--client-id", "me");
  assert.deepEqual([login.exit, issuer.forms.length], [2, 0], login.err);
});
