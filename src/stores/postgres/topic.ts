import { createHash } from "node:crypto";
import { keyText } from "../sql/key-text.js";
import { keyInScope, type Scope } from "../task-store.js";

/**
 * The topic of a task, the same in every process. It has 132 bits of a hash, so in practice no two tasks share one: the store uses it as a
 * key.
 */
export function topicOf(scope: Scope, taskId: string): string {
  // The hash reads UTF-8, in which different unpaired surrogates would be the same character.
  const key = keyText(keyInScope(scope, taskId));
  return createHash("sha1").update(key).digest("base64url").slice(0, 22);
}
