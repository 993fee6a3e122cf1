/** Name of the OpenAPI component with what a path leaves of the request: `CancelTask` is `CancelTaskBody`. */
export function bodyName(operation: string): string {
  return `${operation}Body`;
}
