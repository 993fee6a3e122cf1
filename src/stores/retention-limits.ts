/** Limits that a store was given. */
interface Limits {
  readonly grace?: number;
  readonly graceLogs?: number;
  readonly ttl?: Readonly<Record<string, number>>;
  readonly maxTasks?: number;
}

/** @throws TypeError when one of them is no number from 0 on */
export function checkRetention({ grace = 0, graceLogs = 0, ttl = {}, maxTasks = 0 }: Limits): void {
  const limits = { grace, graceLogs, maxTasks, ...ttl };
  for (const [name, limit] of Object.entries(limits)) {
    if (!(limit >= 0)) throw new TypeError(`${name} must be a number from 0 on, not ${limit}`);
  }
}
