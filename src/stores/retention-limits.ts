/** Limits that a store was given. */
interface Limits {
  readonly grace?: number;
  readonly graceLogs?: number;
  readonly ttl?: Readonly<Record<string, number>>;
  readonly maxTasks?: number;
  readonly maxBytes?: number;
  readonly maxBytesPerOwner?: number;
}

/** @throws TypeError when one of them is no number from 0 on */
export function checkRetention({ ttl = {}, ...options }: Limits): void {
  const { grace = 0, graceLogs = 0, maxTasks = 0, maxBytes = 0, maxBytesPerOwner = 0 } = options;
  const limits = { grace, graceLogs, maxTasks, maxBytes, maxBytesPerOwner, ...ttl };
  for (const [name, limit] of Object.entries(limits)) {
    if (!(limit >= 0)) throw new TypeError(`${name} must be a number from 0 on, not ${limit}`);
  }
}
