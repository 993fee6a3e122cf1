/**
 * The migrations from an empty database to the current version, oldest first. The version of a database is the number of migrations that
 * it has had. A released migration never changes, and there are no downgrades.
 *
 * An append to an existing task updates its row. The fill factor leaves room for the new version of the row in the same page. No index of
 * `parley_tasks` includes `generation` or `written`, so an append that changes neither status nor lease need not update an index of that
 * table.
 */
export const migrations: readonly string[] = [
  `
  CREATE TABLE parley_scopes (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    agent text COLLATE "C" NOT NULL,
    tenant text COLLATE "C" NOT NULL,
    owner text COLLATE "C" NOT NULL,
    UNIQUE (agent, tenant, owner)
  );

  CREATE TABLE parley_tasks (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    scope bigint NOT NULL,
    task text COLLATE "C" NOT NULL,
    context text COLLATE "C" NOT NULL,
    generation integer NOT NULL,
    state text COLLATE "C" NOT NULL,
    stamp text COLLATE "C" NOT NULL,
    written bigint NOT NULL,
    ended bigint,
    compacted boolean NOT NULL DEFAULT false,
    lease_agent text COLLATE "C",
    lease_node text COLLATE "C",
    lease_token text COLLATE "C",
    lease_until bigint,
    lease_work integer,
    lease_attempt integer,
    UNIQUE (scope, task)
  ) WITH (fillfactor = 70);
  CREATE INDEX parley_tasks_order ON parley_tasks (scope, stamp, task);
  CREATE INDEX parley_tasks_state ON parley_tasks (scope, state, stamp, task);
  CREATE INDEX parley_tasks_context ON parley_tasks (scope, context, stamp, task, state);
  CREATE INDEX parley_tasks_live ON parley_tasks (state, stamp) WHERE NOT compacted;
  CREATE INDEX parley_tasks_ended ON parley_tasks (state, ended) WHERE ended IS NOT NULL;
  CREATE INDEX parley_tasks_lease ON parley_tasks (lease_agent, lease_until) WHERE lease_token IS NOT NULL;

  -- One row for each entry. The type json keeps the text unchanged; jsonb would reorder members and refuse some values.
  CREATE TABLE parley_entries (
    task bigint NOT NULL,
    generation integer NOT NULL,
    body json NOT NULL,
    PRIMARY KEY (task, generation)
  );

  CREATE TABLE parley_snapshots (
    task bigint PRIMARY KEY,
    generation integer NOT NULL,
    body json NOT NULL
  );

  -- Number of tasks that ended in a state, by hour. Totals add these up and count only the other tasks one by one.
  CREATE TABLE parley_ends (
    scope bigint NOT NULL,
    state text COLLATE "C" NOT NULL,
    hour text COLLATE "C" NOT NULL,
    tasks bigint NOT NULL,
    PRIMARY KEY (scope, state, hour)
  ) WITH (fillfactor = 50);

  CREATE TABLE parley_configs (
    place bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    agent text COLLATE "C" NOT NULL,
    scope bigint NOT NULL,
    task text COLLATE "C" NOT NULL,
    config text COLLATE "C" NOT NULL,
    body json NOT NULL,
    version text COLLATE "C" NOT NULL,
    delivered integer NOT NULL,
    failures integer NOT NULL,
    due bigint NOT NULL,
    state text COLLATE "C" NOT NULL,
    revision bigint NOT NULL,
    node text COLLATE "C" NOT NULL,
    until bigint NOT NULL,
    UNIQUE (scope, task, config)
  ) WITH (fillfactor = 70);
  CREATE INDEX parley_configs_open ON parley_configs (agent, place) WHERE state = 'open';

  CREATE TABLE parley_sends (
    scope bigint NOT NULL,
    key text COLLATE "C" NOT NULL,
    fingerprint text COLLATE "C" NOT NULL,
    outcome json,
    node text COLLATE "C" NOT NULL,
    until bigint NOT NULL,
    expires bigint NOT NULL,
    PRIMARY KEY (scope, key)
  );
  CREATE INDEX parley_sends_expires ON parley_sends (expires);
  `,
  `
  -- All configs of an owner are counted, over all its tasks and tenants.
  ALTER TABLE parley_configs ADD COLUMN owner text COLLATE "C" NOT NULL DEFAULT '';
  UPDATE parley_configs SET owner = (SELECT owner FROM parley_scopes WHERE id = parley_configs.scope);
  CREATE INDEX parley_configs_owner ON parley_configs (agent, owner);
  `,
  `
  -- Claims of configs take turns between owners.
  CREATE INDEX parley_configs_turns ON parley_configs (agent, owner, place) WHERE state = 'open';
  `,
];
