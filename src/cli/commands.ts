import type { Command } from "./command.js";
import { authLogin, authLogout, authStatus } from "./commands/auth.js";
import { cardGet, cardList, cardSign, cardValidate, cardVerify } from "./commands/card.js";
import { chat } from "./commands/chat.js";
import { codegen } from "./commands/codegen.js";
import { completion } from "./commands/completion.js";
import { configShow } from "./commands/config-show.js";
import { conformance } from "./commands/conformance.js";
import { dbBackup, dbMigrate } from "./commands/db.js";
import { init } from "./commands/init.js";
import { inspectCommand } from "./commands/inspect.js";
import { pushCreate, pushDelete, pushGet, pushList } from "./commands/push-config.js";
import { recordingCompare, recordingShow } from "./commands/recording.js";
import { sendCommand } from "./commands/send.js";
import { serveCommand } from "./commands/serve.js";
import { taskCancel, taskGet, taskList, taskSubscribe } from "./commands/task.js";
import { taskDownload } from "./commands/task-download.js";
import { help, versionCommand } from "./commands/tool.js";
import { webhookCommand } from "./commands/webhook.js";

/** All commands, in the order of the help. */
export const commands: readonly Command[] = [
  cardGet,
  cardList,
  cardValidate,
  cardSign,
  cardVerify,
  authLogin,
  authStatus,
  authLogout,
  sendCommand,
  chat,
  taskGet,
  taskList,
  taskCancel,
  taskSubscribe,
  taskDownload,
  pushCreate,
  pushGet,
  pushList,
  pushDelete,
  webhookCommand,
  conformance,
  inspectCommand,
  recordingShow,
  recordingCompare,
  serveCommand,
  init,
  dbMigrate,
  dbBackup,
  codegen,
  configShow,
  completion,
  help,
  versionCommand,
];
