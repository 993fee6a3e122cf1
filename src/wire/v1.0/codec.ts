import { operations, protocolVersion } from "../../../generated/v1.0/operations.js";
import type { Operation } from "../../operations.js";
import type { Codec } from "../codec.js";
import { decodeRequest } from "./decode.js";
import { encodeEvent, encodeResponse } from "./encode.js";

/** The wire of protocol 1.0. Its shapes are those of the canonical model, so a canonical request passes through untouched. */
export const codec: Codec = {
  version: protocolVersion,
  methods: new Map<string, Operation>(operations.map((row) => [row.method, row])),
  decodeRequest,
  encodeResponse,
  encodeEvent,
};
