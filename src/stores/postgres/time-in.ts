/**
 * SQL for the time in milliseconds since 1970: the given parameter, or the clock of the database if it is null. It is a subquery, because
 * PostgreSQL evaluates such a subquery once per statement and can use an index to compare a column with its result.
 */
export function timeIn(parameter: `$${number}`): string {
  return `(SELECT coalesce(${parameter}::bigint, (extract(epoch FROM clock_timestamp()) * 1000)::bigint))`;
}
