import { isJsonObject } from "../../json/json-text.js";
import { FIRST_VERSION, isFirstDraftCard, memberOf } from "../card-interfaces.js";
import { securityByName } from "../card-security.js";

/** Media type for files of any type. */
export const ANY_FILE = "*/*";

/** Media types by their names in 0.1. */
const mediaTypes: ReadonlyMap<unknown, string> = new Map([
  ["text", "text/plain"],
  ["file", ANY_FILE],
  ["data", "application/json"],
]);

/** The media type for a name in 0.1; any other value unchanged. */
export function readMode(word: unknown): unknown {
  return mediaTypes.get(word) ?? word;
}

/**
 * Converts the security schemes and media types of a card of 0.1 to the form of later cards, which the reader of 1.0 reads, and adds its
 * version. Any other value is returned unchanged.
 */
export function upgradeCard(value: unknown): unknown {
  if (!isJsonObject(value) || !isFirstDraftCard(value)) return value;
  const { authentication, skills, ...card } = value;
  for (const name of ["defaultInputModes", "defaultOutputModes"])
    card[name] = modesIn(memberOf(card, name) ?? ["text"]);
  return {
    ...card,
    protocolVersion: FIRST_VERSION,
    skills: Array.isArray(skills) ? skills.map(upgradeSkill) : skills,
    ...(isJsonObject(authentication) && securityByName(authentication)),
  };
}

function upgradeSkill(skill: unknown): unknown {
  if (!isJsonObject(skill)) return skill;
  return {
    ...skill,
    inputModes: modesIn(memberOf(skill, "inputModes")),
    outputModes: modesIn(memberOf(skill, "outputModes")),
  };
}

function modesIn(words: unknown): unknown {
  return Array.isArray(words) ? words.map(readMode) : words;
}
