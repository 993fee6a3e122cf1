import { chmodSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { CredentialProvider } from "../client/auth/credentials.js";
import { refreshed, type Token, TokenHolder } from "../client/auth/oauth-token.js";
import { isJsonObject } from "../json/json-text.js";
import type { CommandCall } from "./command.js";
import { isReadableByOthers } from "./env-file.js";
import { Failure, fileFailure } from "./failure.js";
import type { Io } from "./output.js";

/** A login at the issuer of an agent: its parameters and its token. */
export interface Login {
  /** The agent, as {@link agentKey} names it. */
  readonly agent: string;
  /** Security scheme of its card. */
  readonly scheme: string;
  readonly flow: string;
  readonly clientId: string;
  /** URL at which the token is refreshed. */
  readonly refreshUrl: string;
  readonly scopes: readonly string[];
  readonly token: Token;
}

/** Only the owner may read the file, because it contains tokens. */
const FILE_MODE = 0o600;
const FOLDER_MODE = 0o700;

/** The file in which `parley auth login` stores tokens. */
export class LoginFile {
  readonly path: string;

  constructor({ home }: Pick<Io, "home">) {
    this.path = join(home, ".config", "a2a-cli", "logins.json");
  }

  /**
   * All logins.
   * @throws Failure when the file exists but cannot be read
   */
  read(): readonly Login[] {
    let text: string;
    try {
      text = readFileSync(this.path, "utf8");
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === "ENOENT") return [];
      throw fileFailure(`${this.path} cannot be read`, error);
    }
    try {
      const { logins } = JSON.parse(text) as { logins: readonly StoredLogin[] };
      return logins.map(({ expires, refresh, value, ...rest }) => ({
        ...rest,
        token: { value, expires: expires ?? Number.POSITIVE_INFINITY, refresh },
      }));
    } catch {
      throw fileFailure(`${this.path} is not a valid file of logins: remove it, and log in again`);
    }
  }

  /** Stores a login. It replaces the one for the same agent and scheme. */
  save(login: Login): void {
    this.#write([...this.read().filter((one) => !isSame(one, login)), login]);
  }

  /** Deletes logins. */
  remove(gone: readonly Login[]): void {
    this.#write(this.read().filter((one) => !gone.some((other) => isSame(one, other))));
  }

  /** Writes a new file and renames it, so that a concurrent command reads either the old or the new content. */
  #write(logins: readonly Login[]): void {
    const kept = logins.map(({ token: { value, expires, refresh }, ...rest }): StoredLogin => {
      const end = Number.isFinite(expires) ? expires : undefined;
      return { ...rest, value, ...(end && { expires: end }), ...(refresh !== undefined && { refresh }) };
    });
    const draft = `${this.path}.${process.pid}`;
    try {
      mkdirSync(dirname(this.path), { recursive: true, mode: FOLDER_MODE });
      writeFileSync(draft, `${JSON.stringify({ logins: kept }, undefined, 2)}\n`, { mode: FILE_MODE });
      chmodSync(draft, FILE_MODE);
      renameSync(draft, this.path);
    } catch (error) {
      rmSync(draft, { force: true });
      throw fileFailure(`${this.path} cannot be written`, error);
    }
  }
}

/** A login as the file has it. */
type StoredLogin = Omit<Login, "token"> & {
  readonly value: string;
  readonly expires?: number;
  readonly refresh?: string;
};

function isSame(one: Login, other: Login): boolean {
  return one.agent === other.agent && one.scheme === other.scheme;
}

const CARD_PATH = /\/(\.well-known\/agent(-card)?\.json)?$/;

/**
 * The name of an agent in the file: its URL without the path of the card, or the URL of the card's first interface. The fragment stays:
 * agents of one host may have different issuers.
 */
export function agentKey(target: URL | object): string {
  if (target instanceof URL) return `${target.origin}${target.pathname.replace(CARD_PATH, "")}${target.hash}`;
  const [first] = "supportedInterfaces" in target ? [target.supportedInterfaces].flat() : [];
  return isJsonObject(first) && typeof first.url === "string" ? first.url : "";
}

/**
 * The tokens of `parley auth login` for an agent, by the schemes of its card. A token that expires or is refused is refreshed, and the
 * new one is stored.
 * @returns undefined without a login for the agent
 * @throws Failure when the file cannot be read
 */
export function storedLogins(
  { io, notes }: Pick<CommandCall, "io" | "notes">,
  target: URL | object,
): CredentialProvider | undefined {
  const file = new LoginFile(io);
  const agent = agentKey(target);
  const logins = file.read().filter((login) => login.agent === agent);
  if (logins.length === 0) return undefined;
  if (isReadableByOthers(file.path)) notes.warn(`others can read the tokens in ${file.path}: chmod 600 it`);
  const providers = new Map(logins.map((login) => [login.scheme, renewing(login, file)]));
  for (const { token } of logins) notes.conceal(token.value, token.refresh);
  return (need) => providers.get(need.name)?.(need);
}

function renewing(login: Login, file: LoginFile): CredentialProvider {
  const holder = new TokenHolder({
    load: () => login.token,
    save: (token) => file.save({ ...login, token }),
  });
  const url = new URL(login.refreshUrl);
  return (need) =>
    holder.get(need, async (old, shared) => {
      const token = await refreshed(old, url, login, shared);
      if (token !== undefined) return token;
      throw new Failure("A2ACLI_ERR_AUTH_FAILED", `The login for ${login.agent} has expired`, {
        hint: `parley auth login -a ${login.agent} --client-id ${login.clientId}`,
      });
    });
}
