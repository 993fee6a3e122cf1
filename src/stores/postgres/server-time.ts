/** The time as a statement sees it: what is handed in with a parameter, or the clock of the server. Milliseconds since 1970. */
export function timeIn(parameter: `$${number}`): string {
  return `coalesce(${parameter}::bigint, (extract(epoch FROM clock_timestamp()) * 1000)::bigint)`;
}
