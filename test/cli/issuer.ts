import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { TestContext } from "vitest";
import { reply } from "../../src/index.js";
import type { SecurityScheme } from "../../src/protocol/model.js";
import { bearerTokens, serve } from "../../src/server/index.js";

type Form = Record<string, string>;

/** An issuer that notes what it is asked, and answers by `answers`: an object for a token, a word for an error. */
export async function startIssuer(t: TestContext, answers: (form: Form) => object | string) {
  const forms: Form[] = [];
  const server = createServer(async (request, response) => {
    let text = "";
    for await (const piece of request) text += piece;
    const body: Record<string, () => object> = {
      "/device": () => ({
        device_code: "dc-secret",
        user_code: "WDJB-MJHT",
        verification_uri: `${url}/go`,
        interval: 0,
      }),
      "/.well-known/openid-configuration": () => ({
        token_endpoint: `${url}/token`,
        device_authorization_endpoint: `${url}/device`,
      }),
    };
    if (text !== "")
      forms.push({
        ...(request.headers.authorization && { authorization: request.headers.authorization }),
        ...Object.fromEntries(new URLSearchParams(text)),
      });
    const answer = body[request.url ?? ""]?.() ?? answers(forms.at(-1) ?? {});
    const isError = typeof answer === "string";
    response.writeHead(isError ? 400 : 200, { "Content-Type": "application/json" });
    response.end(JSON.stringify(isError ? { error: answer } : answer));
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  t.onTestFinished(() => void server.close());
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { url, forms };
}

/** An agent that wants a token, which is good while `isGood` says so. */
export async function startAgent(t: TestContext, scheme: SecurityScheme, isGood: (token: string) => boolean) {
  const card = {
    name: "Vault",
    description: "Opens for those it knows.",
    securitySchemes: { door: scheme },
    securityRequirements: [{ schemes: { door: { list: ["open"] } } }],
  };
  const check = (token: string) => (isGood(token) ? { id: "alice", scopes: ["open"] } : undefined);
  const execute = () => reply("open");
  const server = await serve({ card, execute }, { auth: { verifiers: { door: bearerTokens(check) } } });
  t.onTestFinished(() => server.close());
  return server.url;
}

/** A scheme with one flow of an issuer. */
export function oauth(
  issuer: string,
  flow: "deviceCode" | "clientCredentials" | "authorizationCode" = "deviceCode",
): SecurityScheme {
  const [tokenUrl, scopes] = [`${issuer}/token`, { open: "Open it" }];
  const deviceCode = { tokenUrl, deviceAuthorizationUrl: `${issuer}/device`, scopes };
  const flows = {
    deviceCode: { deviceCode },
    clientCredentials: { clientCredentials: { tokenUrl, scopes } },
    authorizationCode: { authorizationCode: { tokenUrl, authorizationUrl: `${issuer}/authorize`, scopes } },
  };
  return { oauth2SecurityScheme: { flows: flows[flow] } };
}
