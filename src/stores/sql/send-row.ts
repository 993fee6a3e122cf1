import { deepFreeze } from "../deep-freeze.js";
import type { SendRecord } from "../send-ledger.js";
import { nameOfKey } from "./key-text.js";

/** Milliseconds for which a send is remembered. */
export const LIFETIME = 24 * 60 * 60 * 1000;

/** A remembered send as databases hold it. */
export interface SendRow {
  readonly fingerprint: string;
  readonly outcome: string | null;
}

/** The record of a row. */
export function sendOf({ fingerprint, outcome }: SendRow): SendRecord {
  return deepFreeze<SendRecord>({
    fingerprint: nameOfKey(fingerprint),
    ...(outcome !== null && { outcome: JSON.parse(outcome) }),
  });
}
