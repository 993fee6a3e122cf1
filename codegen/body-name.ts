/** Name of the OpenAPI component with the members of a request that are not in the path: `CancelTaskBody` for `CancelTask`. */
export function bodyName(operation: string): string {
  return `${operation}Body`;
}
