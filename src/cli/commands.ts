import type { Command } from "./command.js";
import { cardGet, cardSign, cardValidate, cardVerify } from "./commands/card.js";
import { send } from "./commands/send.js";
import { taskCancel, taskGet, taskList, taskSubscribe } from "./commands/task.js";
import { help, version } from "./commands/tool.js";

/** Every command, in the order of help. */
export const commands: readonly Command[] = [
  cardGet,
  cardValidate,
  cardSign,
  cardVerify,
  send,
  taskGet,
  taskList,
  taskCancel,
  taskSubscribe,
  help,
  version,
];
