import { signal } from "@preact/signals";

/** URL of the agent that is open, opening, or could not be opened. */
export const agentUrl = signal<string | undefined>(undefined);
