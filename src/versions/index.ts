/**
 * Codecs between the versions of the protocol, for gateways and test runners: they read the messages of a version as those of the newest,
 * and write them again in any version. Runs wherever JavaScript does.
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
