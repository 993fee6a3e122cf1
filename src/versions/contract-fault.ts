import { violationOf } from "../json/violation.js";
import type { ValidationError } from "../protocol/model.js";
import { ContractFault } from "./version.js";

/** The fault for the first error of a validator. */
export function contractFault(errors: readonly ValidationError[] | null | undefined): ContractFault {
  const { field, description } = violationOf(errors);
  return new ContractFault(field, description);
}
