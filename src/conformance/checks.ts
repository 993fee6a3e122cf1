import type { Check } from "./check.js";
import { crossBindingChecks } from "./checks/bindings.js";
import { callerChecks } from "./checks/callers.js";
import { cancelTaskChecks } from "./checks/cancel-task.js";
import { cardChecks } from "./checks/card.js";
import { conversationChecks } from "./checks/conversations.js";
import { deliveryChecks } from "./checks/deliveries.js";
import { generationChecks } from "./checks/generations.js";
import { getTaskChecks } from "./checks/get-task.js";
import { httpJsonChecks } from "./checks/http-json.js";
import { invalidRequestChecks } from "./checks/invalid-requests.js";
import { isolationChecks } from "./checks/isolation.js";
import { jsonRpcChecks } from "./checks/json-rpc.js";
import { lenientReadingChecks } from "./checks/lenient-reading.js";
import { listTasksChecks } from "./checks/list-tasks.js";
import { pushConfigChecks } from "./checks/push-configs.js";
import { routeChecks } from "./checks/routes.js";
import { sendChecks } from "./checks/send.js";
import { streamingChecks } from "./checks/streaming.js";
import { subscribeChecks } from "./checks/subscribe.js";
import { transferChecks } from "./checks/transfers.js";
import { transportChecks } from "./checks/transport.js";
import { versionChecks } from "./checks/versions.js";

/** All checks, in the order in which they run. */
export const checks: readonly Check[] = [
  ...cardChecks,
  ...transportChecks,
  ...jsonRpcChecks,
  ...httpJsonChecks,
  ...routeChecks,
  ...versionChecks,
  ...callerChecks,
  ...isolationChecks,
  ...sendChecks,
  ...conversationChecks,
  ...transferChecks,
  ...invalidRequestChecks,
  ...lenientReadingChecks,
  ...getTaskChecks,
  ...listTasksChecks,
  ...cancelTaskChecks,
  ...streamingChecks,
  ...subscribeChecks,
  ...pushConfigChecks,
  ...deliveryChecks,
  ...generationChecks,
  ...crossBindingChecks,
];
