import { isObject, type JsonObject } from "../normalize/members.js";
import type { Shape } from "./contract.js";

/** The members of an object that are objects themselves; none for another value. */
export function objectsOf(value: unknown): [string, JsonObject][] {
  if (!isObject(value)) return [];
  return Object.entries(value).flatMap(([name, member]) => (isObject(member) ? [[name, member]] : []));
}

/** The elements of a list that are objects; none for another value. */
export function listOf(value: unknown): JsonObject[] {
  return Array.isArray(value) ? value.filter(isObject) : [];
}

/** The elements of a list that are strings; none for another value. */
export function namesOf(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((item) => typeof item === "string") : [];
}

/** A member that is a string; undefined for another value. */
export function textOf(object: JsonObject, name: string): string | undefined {
  const value = object[name];
  return typeof value === "string" ? value : undefined;
}

/** Whether a reference is to a document on the network. */
export function isRemote(reference: string): boolean {
  return /^(?:[a-z][a-z0-9+.-]*:|\/\/)/i.test(reference);
}

/** The limits that a schema states; those of whole numbers are those of their type. */
export function limitsOf(value: JsonObject, { type }: Shape): Pick<Shape, "minItems" | "minLength"> {
  const { minItems, minLength } = value;
  return {
    ...(type === "array" && typeof minItems === "number" && { minItems }),
    ...(type === "string" && typeof minLength === "number" && { minLength }),
  };
}
