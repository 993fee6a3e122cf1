import { type MessageName, messages } from "../../../generated/v0.3/fields.js";
import type { Artifact, FilePart, Message, Part } from "../../../generated/v0.3/models.js";
import type { Artifact as ModelArtifact, Message as ModelMessage, Part as ModelPart } from "../../model.js";
import { isJsonObject } from "../json-text.js";
import { modelRoles, roleNames } from "./names.js";

type Metadata = { [key: string]: unknown };

/** Marks data that had to be put into an object, because a data part holds nothing else in this version. */
const WRAPPED = "data_part_compat";

/** A message of this version in terms of the model. */
export function decodeMessage({ kind: _, role, parts, ...rest }: Message): ModelMessage {
  return { ...filled(rest), messageId: rest.messageId, role: modelRoles[role], parts: parts.map(decodePart) };
}

export function encodeMessage({ role, parts, ...rest }: ModelMessage): Message {
  const { messageId } = rest;
  return {
    kind: "message",
    ...known("Message", rest),
    messageId,
    role: roleNames[role],
    parts: parts.map(encodePart),
  };
}

/** An artifact of this version in terms of the model. */
export function decodeArtifact({ parts, ...rest }: Artifact): ModelArtifact {
  return { ...filled(rest), artifactId: rest.artifactId, parts: parts.map(decodePart) };
}

export function encodeArtifact({ parts, ...rest }: ModelArtifact): Artifact {
  return { ...known("Artifact", rest), artifactId: rest.artifactId, parts: parts.map(encodePart) };
}

function decodePart(part: Part): ModelPart {
  const { metadata } = part;
  const more = metadata === undefined ? {} : { metadata };
  if (part.kind === "text") return { text: part.text, ...more };
  if (part.kind === "file") return { ...decodeFile(part), ...more };
  if (metadata?.[WRAPPED] !== true || !Object.hasOwn(part.data, "value")) return { data: part.data, ...more };
  const { [WRAPPED]: __, ...own } = metadata;
  return { data: part.data.value, ...(Object.keys(own).length > 0 && { metadata: own }) };
}

function decodeFile({ file }: FilePart): ModelPart {
  const { name, mimeType } = file;
  const about = {
    ...(name !== undefined && { filename: name }),
    ...(mimeType !== undefined && { mediaType: mimeType }),
  };
  return file.bytes === undefined ? { url: file.uri, ...about } : { raw: file.bytes, ...about };
}

function encodePart(part: ModelPart): Part {
  const { metadata } = part;
  const more = metadata === undefined ? {} : { metadata };
  if (part.text !== undefined) return { kind: "text", text: part.text, ...more };
  const { filename, mediaType } = part;
  const about = {
    ...(filename !== undefined && { name: filename }),
    ...(mediaType !== undefined && { mimeType: mediaType }),
  };
  if (part.raw !== undefined) return { kind: "file", file: { bytes: part.raw, ...about }, ...more };
  if (part.url !== undefined) return { kind: "file", file: { uri: part.url, ...about }, ...more };
  return encodeData(part.data, metadata);
}

function encodeData(data: unknown, metadata: Metadata | undefined): Part {
  if (isJsonObject(data)) return { kind: "data", data, ...(metadata !== undefined && { metadata }) };
  return { kind: "data", data: { value: data }, metadata: { ...metadata, [WRAPPED]: true } };
}

/** The members that this version has: those of newer ones would not be understood, or mean something else. */
function known<T extends object>(type: keyof typeof names, value: T): T {
  const entries = Object.entries(filled(value)).filter(([name]) => names[type].has(name));
  return Object.fromEntries(entries) as T;
}

/** What kind of object it is, the codec says. */
const namesOf = (type: MessageName): ReadonlySet<string> =>
  new Set(messages[type].flatMap(({ name }) => (name === "kind" ? [] : [name])));
const names = { Message: namesOf("Message"), Artifact: namesOf("Artifact") };

/** Without empty texts and lists, which say the same as absent ones in both versions. */
export function filled<T extends object>(value: T): T {
  const entries = Object.entries(value).filter(
    ([, member]) => member !== undefined && member !== "" && !(Array.isArray(member) && member.length === 0),
  );
  return Object.fromEntries(entries) as T;
}
