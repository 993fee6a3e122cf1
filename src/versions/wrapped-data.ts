import { isJsonObject } from "../json/json-text.js";

type Metadata = { [key: string]: unknown };

/** Data of a part, with its metadata. */
export interface DataWithMetadata<Data = unknown> {
  readonly data: Data;
  readonly metadata?: Metadata;
}

/** Metadata key that marks data wrapped in an object, for a version whose data parts cannot hold every value. */
const WRAPPED = "data_part_compat";

/** Wraps a value in an object, for a version whose data parts cannot hold it, and marks this in the metadata. */
export function wrapData(
  value: unknown,
  metadata?: Metadata,
): DataWithMetadata<{ value: unknown }> & { metadata: Metadata } {
  return { data: { value }, metadata: { ...metadata, [WRAPPED]: true } };
}

/** Reverses {@link wrapData}. Only data that has the mark, and `value` as its only member, is changed. */
export function unwrapData({ data, metadata }: DataWithMetadata): DataWithMetadata {
  const { [WRAPPED]: mark, ...own } = metadata ?? {};
  if (mark !== true || !isJsonObject(data) || !Object.hasOwn(data, "value") || Object.keys(data).length > 1)
    return { data, ...(metadata !== undefined && { metadata }) };
  return { data: data.value, ...(Object.keys(own).length > 0 && { metadata: own }) };
}
