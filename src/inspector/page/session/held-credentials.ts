import { computed, signal } from "@preact/signals";
import type { CredentialNeed, CredentialProvider } from "../../../client/auth/credentials.js";

/** A credential for a scheme of the card. */
export interface HeldCredential {
  /** For people: "API key", "Signed in until 12:30". Never the secret. */
  readonly description: string;
  readonly provide: CredentialProvider;
}

/** Credentials by the names of the card's schemes. They are in the memory of the page alone, and gone when it is. */
export const heldCredentials = signal<ReadonlyMap<string, HeldCredential>>(new Map());

/** Whether there are any. */
export const holdsCredentials = computed(() => heldCredentials.value.size > 0);

/** Origins to which the person sends credentials besides that of the agent's URL. */
export const allowedOrigins = signal<readonly string[]>([]);

const sent = new Set<string>();

/** The provider of every client of the page. */
export async function credentialOf(need: CredentialNeed): Promise<string | undefined> {
  const secret = await heldCredentials.value.get(need.name)?.provide(need);
  if (secret !== undefined) sent.add(secret);
  return secret;
}

/** Every credential that was sent since the page was opened, also those that were forgotten: recordings must not have them. */
export function sentCredentials(): readonly string[] {
  return [...sent];
}

/** Keeps a credential. */
export function holdCredential(scheme: string, credential: HeldCredential): void {
  heldCredentials.value = new Map([...heldCredentials.value, [scheme, credential]]);
}

/** Forgets the credential of a scheme. */
export function dropCredential(scheme: string): void {
  heldCredentials.value = new Map([...heldCredentials.value].filter(([name]) => name !== scheme));
}

/** Forgets all credentials, and which origins may have them. */
export function forgetCredentials(): void {
  heldCredentials.value = new Map();
  allowedOrigins.value = [];
}
