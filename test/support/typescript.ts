import { createRequire } from "node:module";

/** The compiler. To import it costs three times as much: Node looks through its nine megabytes for the names that it exports. */
export const ts = createRequire(import.meta.url)("typescript") as typeof import("typescript");
