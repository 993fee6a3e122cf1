/**
 * `a2a-parley/testing`: tools for tests of agents, of their callers, and of stores.
 *
 * @packageDocumentation
 */

// Recorded exchanges
export type { ExchangeTimes, RecordedExchange } from "../recording/recorded-exchange.js";
export {
  type RecordingFile,
  type RecordingInput,
  readRecording,
  writeRecording,
} from "../recording/recording-file.js";
// Connection faults
export { type Fault, faulty } from "./faults.js";
// Clocks
export { ManualClock } from "./manual-clock.js";
// Scripted agents, recording and replay
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
// An agent with a client
export { type TestedAgent, testAgent } from "./tested-agent.js";
