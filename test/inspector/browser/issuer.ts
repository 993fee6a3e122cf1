import { createHash } from "node:crypto";
import type { TestContext } from "vitest";
import type { SecurityScheme } from "../../../src/index.js";
import { listenFor } from "../../support/listen.js";

const DISCOVERY = "/.well-known/openid-configuration";

type FlowName = "authorizationCode" | "deviceCode" | "clientCredentials";

/** What an issuer does other than by default. */
export interface IssuerHabits {
  /** Everyone who opens its page declines. */
  readonly declines?: boolean;
}

/** An issuer of tokens for one test: everyone who opens its page has signed in. It gives the token `token-4711`. */
export async function startIssuer(
  t: Pick<TestContext, "onTestFinished">,
  flow: FlowName,
  { declines = false }: IssuerHabits = {},
) {
  const challenges = new Map<string, string>();
  let polls = 0;
  const forms: URLSearchParams[] = [];
  const origin = await listenFor(t, async (req, res) => {
    const url = new URL(req.url ?? "/", "http://issuer");
    let body = "";
    for await (const chunk of req) body += chunk;
    const form = new URLSearchParams(body);
    const answer = (value: object, status = 200) =>
      res.writeHead(status, { "Content-Type": "application/json" }).end(JSON.stringify(value));
    if (url.pathname === "/authorize") {
      const {
        redirect_uri: back = "",
        state = "",
        code_challenge: challenge = "",
      } = Object.fromEntries(url.searchParams);
      challenges.set("c-1", challenge);
      const outcome = declines ? { error: "access_denied" } : { code: "c-1" };
      res.writeHead(302, { Location: `${back}?${new URLSearchParams({ ...outcome, state })}` }).end();
      return;
    }
    if (url.pathname === DISCOVERY) {
      const at = (path: string) => `http://${req.headers.host}${path}`;
      answer({
        ...{ issuer: at(""), authorization_endpoint: at("/authorize"), token_endpoint: at("/token") },
        device_authorization_endpoint: at("/device"),
      });
      return;
    }
    forms.push(form);
    if (url.pathname === "/device") {
      const codes = {
        device_code: "d-1",
        user_code: "WDJB-MJHT",
        verification_uri: "https://issuer.example/device",
      };
      answer({ ...codes, interval: 0.3, expires_in: 60 });
      return;
    }
    const verifier = createHash("sha256")
      .update(form.get("code_verifier") ?? "")
      .digest("base64url");
    const isWaiting = form.get("grant_type")?.endsWith("device_code") && ++polls < 4;
    const isForeign = form.get("grant_type") === "authorization_code" && challenges.get("c-1") !== verifier;
    if (isWaiting) answer({ error: "authorization_pending" }, 400);
    else if (isForeign) answer({ error: "invalid_grant" }, 400);
    else answer({ access_token: "token-4711", token_type: "Bearer", expires_in: 3600 });
  });
  const common = { tokenUrl: `${origin}/token`, scopes: { read: "Read" } };
  const flows: Readonly<Record<FlowName, object>> = {
    authorizationCode: { authorizationUrl: `${origin}/authorize`, ...common },
    deviceCode: { deviceAuthorizationUrl: `${origin}/device`, ...common },
    clientCredentials: common,
  };
  const scheme = { oauth2SecurityScheme: { flows: { [flow]: flows[flow] } } } as SecurityScheme;
  const openId: SecurityScheme = {
    openIdConnectSecurityScheme: { openIdConnectUrl: `${origin}${DISCOVERY}` },
  };
  return { scheme, openId, forms };
}
