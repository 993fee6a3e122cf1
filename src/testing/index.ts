/** For tests of what is built with the library: `a2a-parley/testing`. */

// Lines that break
export { type Fault, faulty } from "./faults.js";
// Time
export { ManualClock } from "./manual-clock.js";
// Streams
export { assertStream, collect, outline } from "./outline.js";
// Exchanges with agents that are not there
export { type RecordedExchange, type Recording, record, replay } from "./recording.js";
// Agents that do as they are told
export { type ScriptedExecutor, type ScriptedTurn, scripted } from "./scripted.js";
// Stores
export { type StoreContract, storeContract } from "./store-contract/contract.js";
export type { OpenedStore, StorePart, StoreSettings } from "./store-contract/opened-store.js";
// An agent and its caller
export { type TestedAgent, testAgent } from "./tested-agent.js";
