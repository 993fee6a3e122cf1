import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";
import { packageVersion } from "../runtime/package-version.js";
import type { ApiFailure, Session } from "./api.js";
import { isAddressedHere, isOwnPage } from "./local-caller.js";
import { answerFile, findPage, safeHeaders } from "./page-files.js";

/** Path of the inspector on the server of an agent. */
export const INSPECTOR_PATH = "/inspector";

/** The server on which the inspector is mounted. */
export interface MountedOn {
  /** Answers everything else. */
  readonly app: RequestListener;
  /** Its agents, asked for when the page asks: cards may name the address that the server listens on. */
  readonly agents: () => NonNullable<Session["mounted"]>;
  /** Folder with the built page; that of this package by default. */
  readonly folder?: string | undefined;
}

/**
 * Mounts the page on the server of an agent, which the page calls by itself. Nothing is called for the page, so there is no token.
 * @throws Error when the page was not built
 */
export function mountInspector({ app, agents, folder }: MountedOn): RequestListener {
  const files = findPage(folder);
  const answer = (path: string, req: IncomingMessage, res: ServerResponse): void => {
    if (!isAddressedHere(req))
      send(res, 403, failure("FORBIDDEN", "The inspector is for a browser on this machine"));
    else if (path === "")
      // Files of the page have paths relative to it.
      res.writeHead(308, { ...safeHeaders, Location: `${INSPECTOR_PATH}/` }).end();
    else if (path === "/api/session" && isOwnPage(req)) send(res, 200, sessionOf(agents()));
    else if (!answerFile(files, path.slice(1), req, res))
      send(res, 404, failure("NOT_FOUND", "There is nothing here"));
  };
  return (req, res) => {
    const [path = ""] = (req.url ?? "").split("?", 1);
    if (path === INSPECTOR_PATH || path.startsWith(`${INSPECTOR_PATH}/`))
      answer(path.slice(INSPECTOR_PATH.length), req, res);
    else app(req, res);
  };
}

function sessionOf(mounted: NonNullable<Session["mounted"]>): Session {
  return {
    ...{ mode: "mounted", version: packageVersion(), mounted, allowsPrivate: false },
    can: { grpc: false, webhooks: false, conformance: false, certificate: false },
    limits: { request: Number.MAX_SAFE_INTEGER, answer: Number.MAX_SAFE_INTEGER },
  };
}

function failure(code: ApiFailure["code"], message: string): ApiFailure {
  return { code, message };
}

function send(res: ServerResponse, status: number, value: object): void {
  res.writeHead(status, { ...safeHeaders, "Content-Type": "application/json" }).end(JSON.stringify(value));
}
