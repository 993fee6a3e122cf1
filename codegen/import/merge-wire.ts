import { isDeepStrictEqual } from "node:util";
import { branches, compareWire, kindOf, presenceOf, resolve } from "./compare-wire.js";
import {
  type Contract,
  type Definition,
  type Definitions,
  definitionsPointer,
  type OperationRow,
  type Property,
  type Shape,
  targetOf,
} from "./contract.js";
import { groupKeywords, groupsOf } from "./groups.js";
import { type Merged, renumber, silence, type Told } from "./merge.js";
import { mergeErrors } from "./merge-errors.js";
import type { Official, OfficialOperation } from "./official.js";
import { undescribed } from "./prose.js";

/**
 * Makes the documents of `version` from an artifact whose definitions are cut in another way than ours (0.x). Definitions are
 * matched by where they travel. `base` stays as it stands, names included, but for what travels otherwise.
 */
export function mergeWire(official: Official, base: Contract, version: string, told: Told = {}): Merged {
  const decisions: string[] = [];
  const { pairs } = compareWire(base, official);
  const merge = new WireMerge(base.schema.$defs, official.definitions, pairs);
  const operations = mergeRows(official.operations ?? [], base.operations.operations, merge);
  return {
    contract: {
      schema: { ...renumber(base, version), $defs: merge.definitions() },
      operations: {
        ...base.operations,
        protocolVersion: version,
        operations,
        ...mergeErrors([...(official.errors ?? []), ...(told.errors ?? [])], base.operations, decisions),
      },
    },
    notes: [...official.notes, ...silence(official, base)],
    decisions,
  };
}

/** Operations by method: those that the text alone has stay. */
function mergeRows(
  operations: readonly OfficialOperation[],
  base: readonly OperationRow[],
  merge: WireMerge,
): OperationRow[] {
  const kept = base.filter(
    ({ method, textOnly }) => textOnly === true || operations.some((row) => row.method === method),
  );
  const known = kept.map((row): OperationRow => {
    const official = operations.find(({ method }) => method === row.method);
    if (official === undefined) return row;
    const request = merge.name(row.request, official.request) ?? row.request;
    return { ...row, request, response: merge.name(row.response, official.response) };
  });
  const added = operations
    .filter(({ method }) => !base.some((row) => row.method === method))
    .map(
      (row): OperationRow => ({
        name: row.name,
        description: row.description ?? undescribed,
        method: row.method,
        http: row.http ?? [],
        request: merge.name(null, row.request) ?? row.request,
        response: merge.name(null, row.response),
        streaming: row.streaming,
        capability: null,
        errors: [],
      }),
    );
  return [...known, ...added];
}

/** Definitions of a version, changed where those of an artifact travel otherwise. */
class WireMerge {
  readonly #ours: Definitions;
  readonly #theirs: Definitions;
  /** Our names by theirs. */
  readonly #pairs: ReadonlyMap<string, string>;
  /** Definitions of theirs that nothing of ours stands for, under the names that they get. */
  readonly #adopted = new Map<string, Definition>();

  constructor(ours: Definitions, theirs: Definitions, pairs: ReadonlyMap<string, string>) {
    this.#ours = ours;
    this.#theirs = theirs;
    this.#pairs = pairs;
  }

  /** All definitions: ours in their order, then what was adopted. */
  definitions(): Definitions {
    const patched = Object.entries(this.#ours).map(([name, definition]): [string, Definition] => {
      const pair = [...this.#pairs].find(([, our]) => our === name)?.[0];
      const theirs = pair === undefined ? undefined : this.#theirs[pair];
      return [name, theirs === undefined ? definition : this.#patch(definition, theirs)];
    });
    return Object.fromEntries([...patched, ...this.#adopted]);
  }

  /** Name of the request or response of an operation: ours while the kinds agree. */
  name(ours: string | null, theirs: string | null): string | null {
    if (theirs === null) return null;
    const [old, now] = [this.#ours[ours ?? ""], this.#theirs[theirs]];
    if (ours !== null && old && now && kindOf(old) === kindOf(now)) return ours;
    return this.#adopt(theirs);
  }

  #patch(ours: Definition, theirs: Definition): Definition {
    if (kindOf(ours) !== kindOf(theirs))
      return { description: ours.description ?? undescribed, ...this.#renamed(theirs) };
    if (ours.enum !== undefined) return patchEnum(ours, theirs);
    if (ours["x-discriminator"] !== undefined) return this.#patchUnion(ours, theirs);
    if (ours.properties !== undefined) return this.#patchMessage(ours, theirs);
    return this.#isSame(ours, theirs)
      ? ours
      : { description: ours.description ?? undescribed, ...this.#renamed(theirs) };
  }

  #patchUnion(ours: Definition, theirs: Definition): Definition {
    const [old, now] = [branches(ours, this.#ours), branches(theirs, this.#theirs)];
    if (isDeepStrictEqual([...old.keys()].sort(), [...now.keys()].sort())) return ours;
    const kept = [...old].filter(([tag]) => now.has(tag)).map(([, branch]) => branch);
    const added = [...now].filter(([tag]) => !old.has(tag)).map(([, branch]) => this.#shape(branch));
    return {
      ...ours,
      oneOf: [...kept, ...added].flatMap(({ $ref }) => ($ref === undefined ? [] : [{ $ref }])),
    };
  }

  #patchMessage(ours: Definition, theirs: Definition): Definition {
    const [old, now] = [ours.properties ?? {}, theirs.properties ?? {}];
    const kept = Object.entries(old).flatMap(([name, property]): [string, Property][] => {
      const other = now[name];
      if (property["x-text-only"] === true) return [[name, property]];
      if (other === undefined) return [];
      const { description = undescribed, deprecated } = property;
      const same = this.#isSame(property, other);
      const limited = {
        ...(same ? property : { description, ...(deprecated && { deprecated }), ...this.#shape(other) }),
        ...limitsIn(other),
      };
      return [[name, limited]];
    });
    const added = Object.entries(now)
      .filter(([name]) => !Object.hasOwn(old, name))
      .map(([name, property]): [string, Property] => [
        name,
        { description: property.description ?? undescribed, ...this.#shape(property) },
      ]);
    const properties = Object.fromEntries([...kept, ...added]);
    const names = Object.keys(properties);
    if (
      names.every((name) => presenceOf(ours, name) === presenceOf(theirs, name)) &&
      names.length === Object.keys(old).length
    ) {
      return { ...ours, properties };
    }
    const { required: _, oneOf: __, allOf: ___, "x-oneof": ____, ...rest } = ours;
    const isText = (name: string) => old[name]?.["x-text-only"] === true;
    const required = names.filter((name) => (isText(name) ? ours : theirs).required?.includes(name));
    const groups = groupsOf(theirs);
    const sameGroups = isDeepStrictEqual(
      groupsOf(ours).map(({ members }) => members),
      groups.map(({ members }) => members),
    );
    return {
      ...rest,
      properties,
      ...(required.length > 0 && { required }),
      ...groupKeywords(sameGroups ? groupsOf(ours) : groups),
    };
  }

  /** Whether two shapes are the same but for names; what their names stand for is compared elsewhere. */
  #isSame(ours: Shape, theirs: Shape): boolean {
    const [old, now] = [resolve(ours, this.#ours), resolve(theirs, this.#theirs)];
    if (kindOf(old) !== kindOf(now)) return false;
    const [inner, other] = [old.items ?? old.additionalProperties, now.items ?? now.additionalProperties];
    if (inner === undefined || other === undefined) return true;
    return this.#isSame(inner, other);
  }

  #adopt(theirs: string): string {
    const known = this.#pairs.get(theirs);
    if (known !== undefined) return known;
    const name = Object.hasOwn(this.#ours, theirs) ? `New${theirs}` : theirs;
    if (!this.#adopted.has(name)) {
      // Its place is taken first: it may refer to itself.
      this.#adopted.set(name, {});
      this.#adopted.set(name, { description: undescribed, ...this.#renamed(this.#theirs[theirs] ?? {}) });
    }
    return name;
  }

  #renamed(definition: Definition): Definition {
    const { properties, oneOf, "x-discriminator": tag, ...rest } = definition;
    return {
      ...this.#shape(rest),
      ...(properties && {
        properties: Object.fromEntries(
          Object.entries(properties).map(([name, property]) => [
            name,
            { description: property.description ?? undescribed, ...this.#shape(property) },
          ]),
        ),
      }),
      ...(tag !== undefined && { "x-discriminator": tag }),
      ...(oneOf && { oneOf: oneOf.map((branch) => this.#shape(branch)) }),
      ...(definition.enum && {
        "x-enum-descriptions": Object.fromEntries(definition.enum.map((name) => [name, undescribed])),
      }),
    };
  }

  /** A shape with the names of ours in its references. */
  #shape<T extends Shape>(shape: T): T {
    const target = targetOf(shape);
    return {
      ...shape,
      ...(target !== undefined && { $ref: `${definitionsPointer}${this.#adopt(target)}` }),
      ...(shape.items && { items: this.#shape(shape.items) }),
      ...(shape.additionalProperties && { additionalProperties: this.#shape(shape.additionalProperties) }),
    };
  }
}

function limitsIn({ minItems, minLength }: Shape): Shape {
  return { ...(minItems !== undefined && { minItems }), ...(minLength !== undefined && { minLength }) };
}

/** Values of before in their order, without those that are gone, then new ones. */
function patchEnum(ours: Definition, theirs: Definition): Definition {
  const [old, now] = [ours.enum ?? [], theirs.enum ?? []];
  const values = [...old.filter((name) => now.includes(name)), ...now.filter((name) => !old.includes(name))];
  if (isDeepStrictEqual(values, old)) return ours;
  const texts = ours["x-enum-descriptions"] ?? {};
  return {
    ...ours,
    enum: values,
    "x-enum-descriptions": Object.fromEntries(values.map((name) => [name, texts[name] ?? undescribed])),
  };
}
