export {
  changed,
  contextId,
  copyOf,
  created,
  fromAgent,
  fromUser,
  json,
  noted,
  partTexts,
  status,
  taskId,
  wrote,
} from "../../src/testing/store-contract/entries.js";
