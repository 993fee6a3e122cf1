/**
 * The migrations from an empty database to the current version, oldest first, also those of libSQL. The version of a database is the number
 * of migrations that it has had. A released migration never changes, and there are no downgrades.
 */
export const migrations: readonly string[] = [
  `
  CREATE TABLE parley_scopes (
    id INTEGER PRIMARY KEY,
    agent TEXT NOT NULL,
    tenant TEXT NOT NULL,
    owner TEXT NOT NULL,
    UNIQUE (agent, tenant, owner)
  ) STRICT;

  -- Task numbers are never reused, so that a process cannot mistake a new task for a deleted one in its cache.
  CREATE TABLE parley_tasks (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    scope INTEGER NOT NULL REFERENCES parley_scopes,
    task TEXT NOT NULL,
    context TEXT NOT NULL,
    generation INTEGER NOT NULL,
    state TEXT NOT NULL,
    stamp TEXT NOT NULL,
    written INTEGER NOT NULL,
    ended INTEGER,
    compacted INTEGER NOT NULL DEFAULT 0,
    UNIQUE (scope, task)
  ) STRICT;
  CREATE INDEX parley_tasks_order ON parley_tasks (scope, stamp, task);
  CREATE INDEX parley_tasks_state ON parley_tasks (scope, state, stamp, task);
  CREATE INDEX parley_tasks_context ON parley_tasks (scope, context, stamp, task, state);
  CREATE INDEX parley_tasks_live ON parley_tasks (state, stamp) WHERE compacted = 0;
  CREATE INDEX parley_tasks_ended ON parley_tasks (state, ended) WHERE ended IS NOT NULL;

  -- One row for each entry. The column place has the number of the task, then 28 bits of generation, so that the entries of a
  -- task are adjacent and the table needs no other index.
  CREATE TABLE parley_entries (place INTEGER PRIMARY KEY, body TEXT NOT NULL) STRICT;

  CREATE TABLE parley_snapshots (
    task INTEGER PRIMARY KEY REFERENCES parley_tasks ON DELETE CASCADE,
    generation INTEGER NOT NULL,
    body TEXT NOT NULL
  ) STRICT;

  -- Number of tasks that ended in a state, by hour, so that totals need not count each of them.
  CREATE TABLE parley_ends (
    scope INTEGER NOT NULL,
    state TEXT NOT NULL,
    hour TEXT NOT NULL,
    tasks INTEGER NOT NULL,
    PRIMARY KEY (scope, state, hour)
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE parley_leases (
    task INTEGER PRIMARY KEY REFERENCES parley_tasks ON DELETE CASCADE,
    agent TEXT NOT NULL,
    node TEXT NOT NULL,
    token TEXT NOT NULL,
    until INTEGER NOT NULL,
    work INTEGER NOT NULL,
    attempt INTEGER NOT NULL
  ) STRICT;
  CREATE INDEX parley_leases_until ON parley_leases (agent, until);

  CREATE TABLE parley_configs (
    place INTEGER PRIMARY KEY AUTOINCREMENT,
    agent TEXT NOT NULL,
    scope INTEGER NOT NULL REFERENCES parley_scopes,
    task TEXT NOT NULL,
    config TEXT NOT NULL,
    body TEXT NOT NULL,
    version TEXT NOT NULL,
    delivered INTEGER NOT NULL,
    failures INTEGER NOT NULL,
    due INTEGER NOT NULL,
    state TEXT NOT NULL,
    revision INTEGER NOT NULL,
    node TEXT NOT NULL,
    until INTEGER NOT NULL,
    UNIQUE (scope, task, config)
  ) STRICT;
  CREATE INDEX parley_configs_open ON parley_configs (agent, place) WHERE state = 'open';

  CREATE TABLE parley_sends (
    scope INTEGER NOT NULL REFERENCES parley_scopes,
    key TEXT NOT NULL,
    fingerprint TEXT NOT NULL,
    outcome TEXT,
    node TEXT NOT NULL,
    until INTEGER NOT NULL,
    expires INTEGER NOT NULL,
    PRIMARY KEY (scope, key)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX parley_sends_expires ON parley_sends (expires);
  `,
  `
  -- All configs of an owner are counted, over all its tasks and tenants.
  ALTER TABLE parley_configs ADD COLUMN owner TEXT NOT NULL DEFAULT '';
  UPDATE parley_configs SET owner = (SELECT owner FROM parley_scopes WHERE id = parley_configs.scope);
  CREATE INDEX parley_configs_owner ON parley_configs (agent, owner);
  `,
  `
  -- Claims of configs take turns between owners.
  CREATE INDEX parley_configs_turns ON parley_configs (agent, owner, place) WHERE state = 'open';
  `,
];
