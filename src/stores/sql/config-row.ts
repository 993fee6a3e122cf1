import { deepFreeze } from "../deep-freeze.js";
import type { PushCursor, PushRecord } from "../push-store.js";
import type { Scope } from "../task-store.js";

/** A push config as databases hold it. */
export interface ConfigRow extends PushCursor {
  readonly place: number;
  /** Number of its scope. */
  readonly scope: number;
  readonly body: string;
  readonly version: string;
  readonly revision: number;
}

/** The record of a row. */
export function recordOf(row: ConfigRow, { agent, tenant, owner }: Scope): PushRecord {
  const { place, body, version, revision, delivered, failures, due, state } = row;
  return deepFreeze<PushRecord>({
    scope: { agent, tenant, owner },
    config: JSON.parse(body),
    version,
    cursor: { delivered, failures, due, state },
    place,
    revision,
  });
}
