import { runtime } from "#runtime";
import { keyText } from "../sql/key-text.js";
import { keyInScope, type Scope } from "../task-store.js";

/**
 * The topic of a task, the same in every process. It has 132 bits of a hash, so in practice no two tasks share one: the store uses it as a
 * key. It does not contain the names of tenants and owners, which the channel of the wake-ups need not know.
 */
export function topicOf(scope: Scope, taskId: string): string {
  // The hash reads UTF-8, in which different unpaired surrogates would be the same character.
  return runtime.toBase64Url(runtime.sha256(keyText(keyInScope(scope, taskId)))).slice(0, 22);
}
