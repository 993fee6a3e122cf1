import { createHash } from "node:crypto";
import { invalidParams } from "../errors.js";
import type { ListTaskPushNotificationConfigsRequest } from "../model.js";
import type { PushRecord } from "../stores/push-store.js";
import type { Scope } from "../stores/task-store.js";

/** One page of a list. */
export interface Page {
  readonly records: readonly PushRecord[];
  /** Token of the page behind it; `""` at the end. */
  readonly nextPageToken: string;
}

/**
 * Cuts a page out of the configs of a task (OP-PUSH-15, PAGE-13). Without a size the page holds all that follow. A token is a
 * place in the order, so a config that is deleted between two pages moves nothing (PAGE-11); it is bound to caller and task.
 * @throws A2AError INVALID_PARAMS naming `pageToken` or `pageSize`
 */
export function pageOf(
  records: readonly PushRecord[],
  request: ListTaskPushNotificationConfigsRequest,
  scope: Scope,
): Page {
  const { taskId, pageSize = 0, pageToken } = request;
  if (pageSize < 0) throw invalidParams("pageSize", "must be at least 0");
  const after = pageToken ? readToken(pageToken, taskId, scope) : 0;
  const rest = records.filter(({ place }) => place > after);
  const page = pageSize === 0 ? rest : rest.slice(0, pageSize);
  const last = page.at(-1);
  const isEnd = last === undefined || page.length === rest.length;
  return { records: page, nextPageToken: isEnd ? "" : writeToken(last.place, taskId, scope) };
}

function writeToken(place: number, taskId: string, scope: Scope): string {
  return Buffer.from(`${seal(place, taskId, scope)} ${place}`).toString("base64url");
}

function readToken(token: string, taskId: string, scope: Scope): number {
  const [sealed, text = ""] = Buffer.from(token, "base64url").toString().split(" ");
  const place = Number(text);
  if (Number.isSafeInteger(place) && sealed === seal(place, taskId, scope)) return place;
  throw invalidParams("pageToken", "is not a token of this list: use nextPageToken of the page before");
}

/** A digest, not a signature: it finds mistakes. A forged token can only name a place in the forger's own list. */
function seal(place: number, taskId: string, { agent, tenant, owner }: Scope): string {
  const bound = JSON.stringify([place, taskId, agent, tenant, owner]);
  return createHash("sha256").update(bound).digest("base64url").slice(0, 16);
}
