import { pageServer } from "../../session/page-server.js";
import type { SchemeForm } from "./scheme-forms.js";
import { redirectUri } from "./sign-in.js";

/** Why a way to authenticate does not work in this page, and what to do; undefined when it works. */
export function missingNeed({ needs }: Pick<SchemeForm, "needs">): string | undefined {
  const server = pageServer.value;
  if (needs === undefined || server.status !== "ready") return undefined;
  const { mode, can } = server.session;
  if (needs === "redirect" && redirectUri() === undefined)
    return "This needs the local server of “parley inspect”.";
  if (needs === "cookies" && mode === "mounted")
    return "A page cannot set this cookie. The local server of “parley inspect” can.";
  if (needs === "certificate" && mode === "mounted")
    return "In this page your browser chooses the certificate, when it connects to the server.";
  if (needs === "certificate" && !can.certificate)
    return "This inspector has no certificate. Start “parley inspect” with “--client-cert” and “--client-key”.";
  return undefined;
}
