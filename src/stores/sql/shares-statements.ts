import { runtime } from "#runtime";

/**
 * Whether a request may wait for a statement that another request has sent. On Workers and edge runtimes a statement belongs to its request
 * and ends with it. Where the platform stops a process of Node after a response, as Vercel and Lambda do, its statements stop and go on
 * with it.
 */
// Only runtimes whose connections belong to the process have files.
export const sharesStatements: boolean = runtime.outlivesResponses || runtime.files !== undefined;
