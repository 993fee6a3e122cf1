/**
 * Codecs between the versions of the protocol, for gateways and test runners. They convert the messages of any version to those of the
 * newest, and back to any version. They run on every JavaScript platform.
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
