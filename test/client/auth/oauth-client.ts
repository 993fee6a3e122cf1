import type { CredentialProvider } from "../../../src/client/index.js";
import type { OAuthFlows } from "../../../src/protocol/model.js";
import { cardOf, clientOf, origin, result, type Seen, task } from "../scripted.js";

export const scopes = { read: "Read" };
export const secrets = { clientId: "me", clientSecret: "s:cret" };
export const tokenUrl = `${origin}/token`;

/** A client of an agent whose card offers a flow, with a script for the issuer. */
export async function clientWith(
  flows: OAuthFlows,
  provider: CredentialProvider,
  issuer: (form: Record<string, string>, request: Seen, times: number) => Response,
  good: () => string = () => "t1",
  needed: readonly string[] = ["read"],
) {
  const card = cardOf({
    securitySchemes: { oauth: { oauth2SecurityScheme: { flows } } },
    securityRequirements: [{ schemes: { oauth: { list: [...needed] } } }],
  });
  const forms: Record<string, string>[] = [];
  const answer = (request: Seen): Response => {
    if (request.json === undefined) {
      const form = Object.fromEntries(new URLSearchParams(request.text));
      forms.push(form);
      return issuer(form, request, forms.length - 1);
    }
    const isGood = request.headers.get("Authorization") === `Bearer ${good()}`;
    return isGood ? result(request, task) : new Response("", { status: 401 });
  };
  return { ...(await clientOf(answer, { card, credentials: { oauth: provider }, retry: false })), forms };
}
