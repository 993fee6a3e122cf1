/**
 * Maximum number of bytes of a question about the server, to its health check or to reflection. Callers are not authenticated, and the
 * bytes of a stream of questions are not counted as those of other requests are. A question is a name.
 */
export const QUESTION_BYTES = 16 * 1024;

/** Maximum number of characters of a requested name in an error message. */
export const SHOWN = 256;
