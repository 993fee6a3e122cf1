export {
  agentMessage,
  changed,
  contextId,
  copyOf,
  created,
  json,
  noted,
  status,
  taskId,
  texts,
  userMessage,
  wrote,
} from "../../src/testing/store-contract/entries.js";
