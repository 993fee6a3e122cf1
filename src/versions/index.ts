/**
 * Codecs of the released protocol versions, for gateways and test runners. They convert the messages of a version to those of the newest,
 * and back.
 *
 * @packageDocumentation
 */

export type { ErrorBody } from "./codec.js";
export {
  type CodecVersion,
  codecVersions,
  loadVersionCodec,
  readCard,
  type VersionCodec,
} from "./version-codec.js";
