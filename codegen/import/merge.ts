import { hasNumbers } from "./checked-in.js";
import type {
  Contract,
  Definition,
  Definitions,
  OperationRow,
  Property,
  Route,
  SchemaDocument,
} from "./contract.js";
import { type MergeContext, mergeDefinition } from "./merge-definition.js";
import { mergeErrors } from "./merge-errors.js";
import type { Official, OfficialError, OfficialOperation } from "./official.js";
import { undescribed } from "./prose.js";

/** The documents of a new version, and notes about what the artifact does not state. */
export interface Merged {
  readonly contract: Contract;
  readonly notes: readonly string[];
  /** Decisions about new names, and where each is written, for review. */
  readonly decisions: readonly string[];
}

/** Facts that the command line adds to an artifact. */
export interface Told {
  /** Errors that only the text of the specification has. */
  readonly errors?: readonly OfficialError[];
  /** Values of enums by what they count as. */
  readonly fallbacks?: ReadonlyMap<string, string>;
}

/**
 * Makes the documents of `version` from an official artifact. Names that stayed keep our descriptions, limits and place;
 * what the artifact cannot say is taken from `base`, the version before.
 */
export function merge(
  official: Official,
  base: Contract,
  version: string,
  { errors = [], fallbacks = new Map() }: Told = {},
): Merged {
  const notes: string[] = [];
  const decisions: string[] = [];
  const schema: SchemaDocument = {
    ...renumber(base, version),
    $defs: mergeDefinitions(official, base, { notes, decisions, fallbacks }),
  };
  const operations = mergeOperations(official, base.operations.operations, notes);
  const { levels, ...rest } = base.operations;
  return {
    contract: {
      schema,
      operations: {
        ...rest,
        // They are about the additions of one version.
        ...(levels !== undefined && version === base.schema["x-protocol-version"] && { levels }),
        protocolVersion: version,
        ...(official.service !== undefined && { service: official.service }),
        operations,
        ...mergeErrors([...(official.errors ?? []), ...errors], base.operations, decisions),
      },
    },
    notes: [...official.notes, ...silence(official, base), ...notes],
    decisions,
  };
}

/** The schema of `base` as that of `version`. */
export function renumber(base: Contract, version: string): SchemaDocument {
  return {
    ...base.schema,
    title: renumbered(base.schema.title, base, version),
    description: renumbered(base.schema.description, base, version),
    "x-protocol-version": version,
  };
}

function renumbered(text: string, { schema }: Contract, version: string): string {
  return text.replaceAll(schema["x-protocol-version"], version);
}

/** Known entries in the order of `base`, followed by the new ones. */
function inOrderOf<T extends { readonly name: string }>(
  base: readonly { readonly name: string }[],
  rows: readonly T[],
): T[] {
  const places = new Map(base.map(({ name }, index) => [name, index]));
  const place = ({ name }: T) => places.get(name) ?? base.length;
  return [...rows].sort((a, b) => place(a) - place(b));
}

/** Messages before enums, each in the order of `base` with new ones at the end. */
function mergeDefinitions(
  { definitions, says }: Official,
  before: Contract,
  told: Pick<MergeContext, "notes" | "decisions" | "fallbacks">,
): Definitions {
  const rows = Object.keys(definitions).map((name) => ({ name }));
  const base = before.schema.$defs;
  const numbered = hasNumbers(before);
  const sorted = inOrderOf(
    Object.keys(base).map((name) => ({ name })),
    rows,
  );
  const merged = sorted.flatMap(({ name }) => {
    const definition = definitions[name];
    return definition
      ? [[name, mergeDefinition(definition, base[name], { name, says, numbered, ...told })] as const]
      : [];
  });
  const isEnum = ([, definition]: readonly [string, Definition]) => definition.enum !== undefined;
  return Object.fromEntries([...merged.filter((entry) => !isEnum(entry)), ...merged.filter(isEnum)]);
}

function mergeOperations(
  { operations, definitions }: Official,
  base: readonly OperationRow[],
  notes: string[],
): readonly OperationRow[] {
  if (operations === undefined) return base;
  const members = (name: string) => new Set(Object.keys(definitions[name]?.properties ?? {}));
  const merged = operations.map((row) => mergeOperation(row, base, { members, notes }));
  const kept = base.filter((row) => row.textOnly === true && !merged.some(({ name }) => name === row.name));
  return inOrderOf(base, [...merged, ...kept]);
}

/** What an operation of the version before is checked against. */
interface NewDefinitions {
  /** Names of the members of a message. */
  members(message: string): ReadonlySet<string>;
  readonly notes: string[];
}

function mergeOperation(
  row: OfficialOperation,
  base: readonly OperationRow[],
  { members, notes }: NewDefinitions,
): OperationRow {
  const known = base.find(({ name }) => name === row.name);
  if (known === undefined) {
    notes.push(`operation ${row.name} is new: no artifact has its capability and errors, which are empty`);
  }
  const capability = known?.capability ?? null;
  const isOffered = capability === null || members("AgentCapabilities").has(capability);
  if (!isOffered)
    notes.push(`operation ${row.name}: AgentCapabilities has no ${capability}, so it needs none`);
  const before = (known?.http ?? []).filter((route) => isReadable(route, members(row.request)));
  return {
    name: row.name,
    description: known?.description ?? row.description ?? undescribed,
    method: row.method,
    http: row.http === undefined ? before : mergeRoutes(row.http, before),
    request: row.request,
    response: row.response,
    streaming: row.streaming,
    capability: isOffered ? capability : null,
    errors: known?.errors ?? [],
    ...(row.deprecated === true && { deprecated: true }),
  };
}

/** Whether the request has a member for each variable of the path. */
function isReadable({ path }: Route, members: ReadonlySet<string>): boolean {
  return [...path.matchAll(/\{([^}=]+)/g)].every(([, name = ""]) => members.has(name));
}

/** The official routes and, where the definition lacks them, those of the text. */
function mergeRoutes(official: readonly Route[], base: readonly Route[]): Route[] {
  const find = (list: readonly Route[], { verb, path }: Route) =>
    list.find((route) => route.verb === verb && route.path === path);
  const kept = base.flatMap((route) => find(official, route) ?? (route.textOnly === true ? route : []));
  return [...kept, ...official.filter((route) => find(base, route) === undefined)];
}

/** Notes about what was taken from the version before because the form of the artifact cannot express it. */
export function silence({ says, operations, errors }: Official, { schema }: Contract): string[] {
  const fields = Object.values(schema.$defs).flatMap(({ properties }) => Object.values(properties ?? {}));
  const from = `taken from ${schema["x-protocol-version"]}`;
  const missing = [
    [!says.numbers, "field numbers"],
    [!says.required, "required members"],
    [!says.groups, "exactly-one groups"],
    [!says.deprecated, "marks of deprecation"],
    [operations === undefined, "operations"],
    [operations !== undefined, "capability and errors of operations"],
    [errors === undefined, "the error table"],
  ] as const;
  return [
    `${from}: ${missing.flatMap(([isMissing, what]) => (isMissing ? [what] : [])).join(", ")}`,
    `${from}: limits of ${fields.filter(isLimited).length} members (minLength, minItems, minimum, maximum)`,
  ];
}

function isLimited(property: Property): boolean {
  return [property.minLength, property.minItems, property.minimum, property.maximum].some(
    (limit) => limit !== undefined,
  );
}
