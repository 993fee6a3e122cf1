import type { CredentialProvider } from "../client/auth/credentials.js";
import { refreshed, TokenHolder } from "../client/auth/oauth-token.js";
import type { CommandCall } from "./command.js";
import { Failure } from "./failure.js";
import { agentKey, type Login, LoginFile } from "./login-file.js";

/**
 * The tokens of `parley auth login` for an agent, by the schemes of its card: renewed when they are old or refused, and kept again.
 * @returns undefined when nobody has logged in there
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
  if (file.isOpen) notes.warn(`others can read the tokens in ${file.path}: chmod 600 it`);
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
      throw new Failure("A2ACLI_ERR_AUTH_FAILED", `The login for ${login.agent} has ended`, {
        hint: `parley auth login -a ${login.agent}`,
      });
    });
}
