import type { CredentialNeed } from "../../client/auth/credentials.js";
import { readReference } from "../agent-reference.js";
import type { Argument, Command, CommandCall } from "../command.js";
import { callableCard, referenceIn } from "../connect-agent.js";
import { Failure, usage } from "../failure.js";
import { chooseLoginMethod, flows, logIn } from "../log-in.js";
import { agentKey, type Login, LoginFile } from "../login-file.js";
import { callOptions } from "../options.js";
import type { Page } from "../text/page.js";
import { callFetch } from "../wire-log.js";

const ref: Argument = { name: "ref", optional: true, help: "The agent, as --agent-card takes it" };
const scheme = {
  name: "scheme",
  takes: "name",
  explicit: true,
  otherwise: "the first with the chosen flow",
  help: "Security scheme of the card",
} as const;
const line = { name: "stream", explicit: true, help: "With -o json: one login per line" } as const;

/** `parley auth login`: gets a token with a flow that the card offers, and stores it for later commands. */
export const authLogin: Command = {
  path: ["auth", "login"],
  summary: "Log in with a method of the agent's card; later calls use the token",
  args: [ref],
  options: [
    { name: "client-id", takes: "id", help: "Id of this client at the issuer" },
    {
      name: "client-secret",
      takes: "secret",
      secret: true,
      help: "Secret of the client; other users can read it in the process list",
    },
    {
      name: "scope",
      takes: "scope",
      many: true,
      otherwise: "those of the card",
      help: "Scope to request",
    },
    {
      name: "flow",
      takes: "flow",
      choices: flows,
      otherwise: "device-code, or client-credentials with a secret; else the first of the card",
      help: "OAuth flow",
    },
    {
      name: "redirect-port",
      takes: "n",
      explicit: true,
      otherwise: "any free one",
      help: "Port of 127.0.0.1 to which the issuer redirects",
    },
    scheme,
    line,
    ...callOptions,
  ],
  examples: [
    "parley auth login agent.example --client-id my-cli --allow-origin https://login.example",
    "A2ACLI_CLIENT_SECRET=… parley auth login agent.example --client-id my-job",
  ],
  async run(call) {
    const { values, notes, io, output } = call;
    const clientId = values.text("client-id");
    if (clientId === undefined)
      throw usage("No client id is specified", "--client-id <id>, or A2ACLI_CLIENT_ID");
    const clientSecret = values.text("client-secret");
    const target = await readReference(referenceIn(call), io);
    const card = await callableCard(call, target);
    const choice = {
      scheme: values.text("scheme"),
      flow: values.text("flow"),
      hasSecret: clientSecret !== undefined,
    };
    const method = chooseLoginMethod(card, choice);
    const given = values.texts("scope");
    const scopes = given.length > 0 ? given : method.scopes;
    let login: Omit<Login, "refreshUrl"> | undefined;
    const tokenStore = {
      load: () => undefined,
      save: (token: Login["token"]) => {
        notes.conceal(token.value, token.refresh);
        login = {
          agent: agentKey(target),
          scheme: method.name,
          flow: method.flow,
          clientId,
          scopes,
          token,
        };
      },
    };
    const refreshUrl = await logIn(method, needOf(call, target, { ...method, scopes }), {
      ...{ clientId, clientSecret, scopes, tokenStore },
      prompt: ({ verificationUri, verificationUriComplete, userCode }) =>
        notes.hint(`open ${verificationUriComplete ?? verificationUri} and enter the code ${userCode}`),
      open: (page) => notes.hint(`open ${page.href} and sign in; the browser must be on this machine`),
      redirectPort: values.count("redirect-port"),
    });
    if (login === undefined) throw new Failure("A2ACLI_ERR_AUTH_FAILED", "The issuer did not return a token");
    const made = { ...login, refreshUrl };
    new LoginFile(io).save(made);
    output.print(shown(made), (page) => write(page, made));
  },
};

/** `parley auth status`: lists the stored logins, without tokens. */
export const authStatus: Command = {
  path: ["auth", "status"],
  summary: "List the stored logins",
  args: [],
  options: [line],
  async run({ io, output }) {
    const logins = new LoginFile(io).read();
    const none = (page: Page) => page.field("Logins", "none");
    const all = (page: Page) => {
      for (const login of logins) write(page, login);
    };
    if (output.isJson && output.isStream) {
      for (const login of logins) output.print(shown(login), none);
    } else output.print({ logins: logins.map(shown) }, logins.length === 0 ? none : all);
  },
};

/** `parley auth logout`: deletes the tokens of an agent. */
export const authLogout: Command = {
  path: ["auth", "logout"],
  summary: "Delete the stored tokens of an agent",
  args: [ref],
  options: [scheme, line, ...callOptions.filter(({ name }) => name === "agent-card")],
  async run(call) {
    const { io, values, output } = call;
    const agent = agentKey(await readReference(referenceIn(call), io));
    const file = new LoginFile(io);
    const name = values.text("scheme");
    const gone = file.read().filter((one) => one.agent === agent && (name ?? one.scheme) === one.scheme);
    if (gone.length > 0) file.remove(gone);
    output.print({ removed: gone.map(shown) }, (page) => {
      if (gone.length === 0) page.field("Logins", "none");
      for (const { scheme } of gone) page.field("Removed", `${agent} (${scheme})`);
    });
  },
};

/** The input of a flow. Secrets may be sent to the origin of the agent's URL and to those of `--allow-origin`; a card in a file adds none. */
function needOf(
  call: CommandCall,
  target: URL | object,
  method: Pick<CredentialNeed, "name" | "scheme" | "scopes">,
): CredentialNeed {
  const { values, signal } = call;
  const own = target instanceof URL ? [target.href] : [];
  const allowed = new Set([...own, ...values.texts("allow-origin")].map((url) => new URL(url).origin));
  const { name, scheme, scopes } = method;
  const allows = ({ origin }: URL) => allowed.has(origin);
  return { name, scheme, scopes, signal, allows, fetch: callFetch(call) };
}

/** A login without its secrets. */
function shown({ agent, scheme, flow, clientId, scopes, token }: Login) {
  const expires = Number.isFinite(token.expires) ? new Date(token.expires).toISOString() : null;
  return { agent, scheme, flow, clientId, scopes, expires, renewable: token.refresh !== undefined };
}

function write(page: Page, login: Login): void {
  const { agent, scheme, flow, clientId, scopes, expires, renewable } = shown(login);
  page.field("Agent", agent);
  page.field("Scheme", `${scheme} (${flow})`);
  page.field("Client", clientId);
  page.field("Scopes", scopes.join(" "));
  page.field("Expires", `${expires ?? "unknown"}${renewable ? ", renewed automatically" : ""}`);
}
