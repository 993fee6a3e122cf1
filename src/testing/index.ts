/** For tests of agents and their callers: `a2a-parley/testing`. */

// Exchanges with agents that are not there
export type { ExchangeTimes, RecordedExchange } from "../recording/recorded-exchange.js";
export {
  type RecordingFile,
  type RecordingInput,
  readRecording,
  writeRecording,
} from "../recording/recording-file.js";
// Lines that break
export { type Fault, faulty } from "./faults.js";
// Time
export { ManualClock } from "./manual-clock.js";
// Agents that do as they are told
export {
  type Recording,
  record,
  replay,
  type ScriptedExecutor,
  type ScriptedTurn,
  scripted,
} from "./scripted.js";
// Stores
export { type StoreContract, storeContract } from "./store-contract/contract.js";
export type { OpenedStore, StorePart, StoreSettings } from "./store-contract/opened-store.js";
// Streams
export { assertStream, collect, summarize } from "./summarize.js";
// An agent and its caller
export { type TestedAgent, testAgent } from "./tested-agent.js";
