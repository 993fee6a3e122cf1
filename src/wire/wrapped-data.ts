import { isJsonObject } from "./json-text.js";

type Metadata = { [key: string]: unknown };

/** Data of a part, and what is noted of it. */
export interface NotedData<Data = unknown> {
  readonly data: Data;
  readonly metadata?: Metadata;
}

/** Marks data that was put into an object, because a version has data parts for nothing else. */
const WRAPPED = "data_part_compat";

/** A value that is no data in another version, in an object, with a mark in the metadata. */
export function wrapData(
  value: unknown,
  metadata?: Metadata,
): NotedData<{ value: unknown }> & { metadata: Metadata } {
  return { data: { value }, metadata: { ...metadata, [WRAPPED]: true } };
}

/** What {@link wrapData} was given; data without the mark stays as it is. */
export function unwrapData({ data, metadata }: NotedData): NotedData {
  const { [WRAPPED]: mark, ...own } = metadata ?? {};
  if (mark !== true || !isJsonObject(data) || !Object.hasOwn(data, "value"))
    return { data, ...(metadata && { metadata }) };
  return { data: data.value, ...(Object.keys(own).length > 0 && { metadata: own }) };
}
