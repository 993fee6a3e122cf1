import { type PushRequest, RefusedPush } from "../push/receiver/push-request.js";
import { matchesSecrets, type Secrets } from "../push/receiver/secrets.js";
import { type SignatureCheck, signatureCheck } from "../push/receiver/signature.js";
import { headers as names } from "../push/request-headers.js";
import type { Delivery, Verdict, WebhookSettings } from "./api.js";

/** What was found in one call of a webhook. */
export type Found = Pick<Delivery, "token" | "authorization" | "signature" | "claims"> & {
  /** Why the call is not authentic; undefined when it is. */
  readonly reason: string | undefined;
};

/** What a webhook demands. */
interface Demands {
  readonly settings: WebhookSettings;
  /** Undefined when no signature is demanded. */
  readonly signature: SignatureCheck | undefined;
}

/**
 * The check of signatures that the settings of a webhook demand.
 * @param url of the webhook, which is the audience
 * @throws TypeError for settings under which no signature could be valid
 */
export function signatureCheckOf(
  { signature }: WebhookSettings,
  url: string,
  fetchFor: (keys: string) => typeof fetch,
): SignatureCheck | undefined {
  if (signature === undefined) return undefined;
  const { keys, issuer } = signature;
  return signatureCheck({ keys, issuer, audience: url, fetch: fetchFor(keys) });
}

/** Looks at token, credentials and signature, each by itself. */
export async function inspectDelivery(
  request: PushRequest,
  { settings, signature }: Demands,
): Promise<Found> {
  const { token, authorization } = settings;
  const has = (name: string) => request.headers[name] !== undefined;
  const [isSigned, claims, reason] = await verify(request, signature);
  const verdicts = {
    token: verdictOf(request, token && { token }, names.tokens.some(has) || has("authorization")),
    authorization: verdictOf(request, authorization && { authorization }, has("authorization")),
    signature: isSigned,
  };
  const [wrong] = Object.entries(verdicts).find(([, verdict]) => !isFine(verdict)) ?? [];
  return {
    ...verdicts,
    ...(claims && { claims }),
    reason: wrong === "signature" ? reason : wrong && words[wrong as keyof typeof words](verdicts),
  };
}

type Verdicts = Pick<Delivery, "token" | "authorization">;

/** What is wrong, for people. */
const words = {
  token: ({ token }: Verdicts) => (token === "missing" ? "The token is missing" : "The token differs"),
  authorization: ({ authorization }: Verdicts) =>
    authorization === "missing" ? "The credentials are missing" : "The credentials differ",
};

function isFine(verdict: Verdict): boolean {
  return verdict === "valid" || verdict === "unchecked";
}

function verdictOf(request: PushRequest, secrets: Secrets | "" | undefined, isThere: boolean): Verdict {
  if (!secrets) return "unchecked";
  if (matchesSecrets(request, secrets)) return "valid";
  return isThere ? "invalid" : "missing";
}

async function verify(
  request: PushRequest,
  check: SignatureCheck | undefined,
): Promise<[verdict: Verdict, claims: Delivery["claims"], reason: string | undefined]> {
  if (check === undefined) return ["unchecked", undefined, undefined];
  try {
    const { claims } = await check(request, Date.now());
    return ["valid", { ...claims }, undefined];
  } catch (error) {
    if (!(error instanceof RefusedPush)) throw error;
    const isThere = [names.signature, "authorization"].some((name) => request.headers[name] !== undefined);
    return [isThere ? "invalid" : "missing", undefined, error.message];
  }
}
