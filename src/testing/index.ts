/** For tests of what is built with the library: `a2a-parley/testing`. */

export { type StoreContract, storeContract } from "./store-contract/contract.js";
export type { OpenedStore, StorePart, StoreSettings } from "./store-contract/opened-store.js";
