import type { Client } from "@libsql/client/http";
import { type Bound, statementOf } from "./bound.js";
import { isTooLarge } from "./database-fault.js";

/** Maximum number of rows of a part. */
const ROWS = 64;

/**
 * Runs a query whose rows exceed what the server puts into one response. Each part is a request of the same transaction; a part that is
 * still too large is halved.
 * @param query a query that returns its rows in the same order each time
 * @throws the error of the server, also for a single row that is too large; the error of the connection
 */
export async function queryInParts<Row>(client: Client, [text, values]: Bound): Promise<Row[]> {
  const transaction = await client.transaction("read");
  try {
    // The driver closes a transaction whose first request fails, and the first part may be too large.
    await transaction.execute("SELECT 1");
    const rows: Row[] = [];
    for (let count = ROWS; ; ) {
      const part: Bound = [`SELECT * FROM (${text}) LIMIT ${count} OFFSET ${rows.length}`, values];
      try {
        const found = await transaction.execute(statementOf(part));
        rows.push(...(found.rows as Row[]));
        if (found.rows.length < count) return rows;
      } catch (error) {
        if (!isTooLarge(error) || count === 1) throw error;
        count >>= 1;
      }
    }
  } finally {
    transaction.close();
  }
}
