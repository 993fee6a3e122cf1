import type { Field, Level, Message, Spec } from "./spec-model.js";

/** What a version adds to the released version before it, as far as a codec must decide about it. Members are named `Task.generation`. */
export interface Additions {
  /** The version before; null for the first of its major version. */
  readonly since: string | null;
  /** Members that callers may send. */
  readonly requestMembers: readonly string[];
  /** Members that agents may send. */
  readonly responseMembers: readonly string[];
  /** Codes of errors. */
  readonly errors: readonly string[];
  readonly operations: readonly string[];
  /** How strongly the text of the specification asks for them, as far as it was read. */
  readonly levels?: Readonly<Record<string, Level>>;
}

/**
 * What is new in a version. The members of a message that only a new member or a new operation refers to are not listed: the decision
 * on that member or operation covers them.
 * @param before the released version that it adds to; undefined for the first of its major
 */
export function additionsOf(spec: Spec, before: Spec | undefined): Additions {
  if (before === undefined) {
    return { since: null, requestMembers: [], responseMembers: [], errors: [], operations: [] };
  }
  const known = new Map(before.messages.map((message) => [message.name, message]));
  const requests = reachable(spec, ({ request }) => request);
  const responses = reachable(spec, ({ response }) => response);
  const members = (sent: ReadonlySet<string>) =>
    spec.messages
      .filter(({ name }) => sent.has(name))
      .flatMap((message) => newMembers(message, known.get(message.name)));
  const fresh = <T>(rows: readonly T[], old: readonly T[], nameOf: (row: T) => string) => {
    const names = new Set(old.map(nameOf));
    return rows.map(nameOf).filter((name) => !names.has(name));
  };
  const additions = {
    since: before.protocolVersion,
    requestMembers: members(requests),
    responseMembers: members(responses),
    errors: fresh(spec.errors, before.errors, ({ code }) => code),
    operations: fresh(spec.operations, before.operations, ({ name }) => name),
  };
  if (spec.levels === undefined) return additions;
  const { requestMembers, responseMembers, errors, operations } = additions;
  const names = new Set([...requestMembers, ...responseMembers, ...errors, ...operations]);
  const levels = Object.fromEntries([...spec.levels].filter(([name]) => names.has(name)));
  return { ...additions, levels };
}

function newMembers({ name, fields }: Message, before: Message | undefined): string[] {
  if (before === undefined) return [];
  const names = new Set(before.fields.map((field) => field.name));
  return fields.filter((field) => !names.has(field.name)).map((field) => `${name}.${field.name}`);
}

/** Names of the messages that a request, or a response, of some operation can hold. */
function reachable(
  { messages, unions, containers, operations }: Spec,
  root: (operation: Spec["operations"][number]) => string | null,
): ReadonlySet<string> {
  const types = new Map<string, readonly (string | undefined)[]>([
    ...messages.map(({ name, fields }) => [name, fields.map(typeOf)] as const),
    ...unions.map(({ name, members }) => [name, [...members.values()]] as const),
    ...containers.map(({ name, field }) => [name, [typeOf(field)]] as const),
  ]);
  const found = new Set<string>();
  const open = operations.map(root);
  for (let type = open.pop(); type !== undefined; type = open.pop()) {
    if (type === null || found.has(type)) continue;
    found.add(type);
    for (const inner of types.get(type) ?? []) open.push(inner ?? null);
  }
  return found;
}

function typeOf({ type }: Field): string | undefined {
  return type;
}
