import { decodeLoosely } from "../v0.1/decode.js";

/**
 * Reads a request of the flat dialect, as leniently as its servers do.
 * @throws A2AError INVALID_PARAMS naming the first faulty member, in terms of the model
 */
export const decodeRequest = decodeLoosely;
