/**
 * TypeScript type of the values of a JSON Schema that is written as a literal: `type`, `properties`, `required`,
 * `additionalProperties` of an object without `properties`, `items`, `prefixItems`, `enum`, `const`, `anyOf`, `oneOf` and `allOf`. Other
 * keywords do not narrow the type, and neither do keywords next to `const`, `enum`, `anyOf` or `oneOf`. The type is `unknown` if the schema
 * does not determine it.
 *
 * @example
 * ```ts
 * type Amount = TypeOfSchema<{ type: "object"; properties: { euros: { type: "number" } }; required: ["euros"] }>;
 * // { euros: number }
 * ```
 */
export type TypeOfSchema<Schema> = Schema extends true
  ? unknown
  : Schema extends false
    ? never
    : Schema extends { readonly const: infer Value }
      ? Mutable<Value>
      : Schema extends { readonly enum: readonly (infer Value)[] }
        ? Mutable<Value>
        : Schema extends { readonly anyOf: readonly (infer One)[] }
          ? Each<One>
          : Schema extends { readonly oneOf: readonly (infer One)[] }
            ? Each<One>
            : Schema extends { readonly allOf: readonly [infer First, ...infer Rest] }
              ? Plain<TypeOfSchema<Omit<Schema, "allOf">> & TypeOfSchema<First> & AllOf<Rest>>
              : Schema extends { readonly type: infer Type }
                ? OfType<Type extends readonly (infer One)[] ? One : Type, Schema>
                : unknown;

/** Distributes over the schemas of a union. */
type Each<Schema> = Schema extends unknown ? TypeOfSchema<Schema> : never;

type AllOf<Schemas extends readonly unknown[]> = Schemas extends readonly [infer First, ...infer Rest]
  ? TypeOfSchema<First> & AllOf<Rest>
  : unknown;

/** Distributes over the names of types. */
type OfType<Type, Schema> = Type extends "string"
  ? string
  : Type extends "number" | "integer"
    ? number
    : Type extends "boolean"
      ? boolean
      : Type extends "null"
        ? null
        : Type extends "array"
          ? List<Schema>
          : Type extends "object"
            ? Members<Schema>
            : unknown;

type List<Schema> = Schema extends { readonly prefixItems: infer Prefix }
  ? [...Partial<Prefixed<Prefix>>, ...Rest<Schema>]
  : Schema extends { readonly items: infer Item }
    ? TypeOfSchema<Item>[]
    : unknown[];

type Prefixed<Prefix> = Prefix extends readonly [infer First, ...infer Others]
  ? [TypeOfSchema<First>, ...Prefixed<Others>]
  : [];

type Rest<Schema> = Schema extends { readonly items: infer Item }
  ? Item extends false
    ? []
    : TypeOfSchema<Item>[]
  : unknown[];

type Members<Schema> = Schema extends { readonly properties: infer Properties }
  ? Plain<
      {
        -readonly [Name in keyof Properties as Name extends RequiredName<Schema>
          ? Name
          : never]: TypeOfSchema<Properties[Name]>;
      } & {
        -readonly [Name in keyof Properties as Name extends RequiredName<Schema>
          ? never
          : Name]?: TypeOfSchema<Properties[Name]>;
      }
    >
  : Schema extends { readonly additionalProperties: infer Value }
    ? { [name: string]: TypeOfSchema<Value> }
    : { [name: string]: unknown };

type RequiredName<Schema> = Schema extends { readonly required: readonly (infer Name)[] } ? Name : never;

/** One object type instead of an intersection, for readable hover text. */
type Plain<Type> = Type extends object ? { [Name in keyof Type]: Type[Name] } : Type;

type Mutable<Value> = Value extends object
  ? { -readonly [Name in keyof Value]: Mutable<Value[Name]> }
  : Value;
