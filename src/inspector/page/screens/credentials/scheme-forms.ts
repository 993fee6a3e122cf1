import { authorizationCode } from "../../../../client/auth/authorization-code.js";
import { clientCredentials } from "../../../../client/auth/client-credentials.js";
import { basic, type CredentialProvider } from "../../../../client/auth/credentials.js";
import { deviceCode } from "../../../../client/auth/device-code.js";
import type { IssuerEndpoints } from "../../../../client/auth/issuer-metadata.js";
import type { SecurityScheme } from "../../../../protocol/model.js";
import { browserRedirect, signInStep } from "./sign-in.js";

/** What is entered for a way to authenticate. */
export interface SecretField {
  readonly name: string;
  readonly label: string;
  readonly hint?: string;
  readonly isSecret?: boolean;
  readonly isOptional?: boolean;
  /** What it is unless something else is entered. */
  readonly value?: string;
}

/** What was entered, by the names of the fields. */
export type Entered = Readonly<Record<string, string>>;

/** One way to authenticate by a scheme. */
export interface SchemeForm {
  readonly title: string;
  /** What is not plain from the scheme and the fields. */
  readonly explanation?: string;
  readonly fields: readonly SecretField[];
  /** Whether a person signs in at an issuer, or a token is fetched, before the credential is there. */
  readonly fetchesToken: boolean;
  /** What of the local server it needs. */
  readonly needs?: "redirect" | "cookies" | "certificate";
  provide(entered: Entered): CredentialProvider;
}

const clientId: SecretField = {
  name: "clientId",
  label: "Client id",
  hint: "The issuer of tokens gives it to you.",
};
const optionalSecret: SecretField = {
  ...{ name: "clientSecret", label: "Client secret", isSecret: true, isOptional: true },
  hint: "Leave it empty for a public client.",
};
const scopes: SecretField = {
  name: "scopes",
  label: "Scopes",
  isOptional: true,
  hint: "Separated by spaces.",
};

function address(name: string, label: string, value: string | undefined): SecretField {
  const hint = "The card or its issuer names it. What you enter here is sent there, so look at it first.";
  return { name, label, hint, value: value ?? "" };
}

/** Options of every flow, without what was left empty. */
function identity({ clientId: id = "", clientSecret = "", scopes: words = "" }: Entered) {
  const wanted = words.split(/\s+/).filter(Boolean);
  return {
    clientId: id,
    ...(clientSecret && { clientSecret }),
    ...(wanted.length > 0 && { scopes: wanted }),
  };
}

const fixed =
  (value: string): CredentialProvider =>
  () =>
    value;

const tokenForm: SchemeForm = {
  title: "Token",
  explanation: "Enter a token that you already have.",
  fields: [{ name: "token", label: "Token", isSecret: true }],
  fetchesToken: false,
  provide: ({ token = "" }) => fixed(token),
};

/**
 * The ways to authenticate by a scheme of the card, the best first; none for a scheme that this page does not know.
 * @param issuer endpoints of the issuer of OpenID Connect, once they are known
 */
export function formsOf(scheme: SecurityScheme, issuer?: IssuerEndpoints): readonly SchemeForm[] {
  const { apiKeySecurityScheme: key, httpAuthSecurityScheme: http, oauth2SecurityScheme: oauth } = scheme;
  if (key !== undefined) return [keyForm(key)];
  if (http !== undefined) return http.scheme.toLowerCase() === "basic" ? [basicForm] : [tokenForm];
  if (oauth !== undefined) return [...oauthForms(oauth.flows), tokenForm];
  if (scheme.openIdConnectSecurityScheme !== undefined)
    return [...(issuer === undefined ? [] : oauthForms(flowsOf(issuer))), tokenForm];
  return scheme.mtlsSecurityScheme === undefined ? [] : [certificateForm];
}

function keyForm({ location }: { location: string }): SchemeForm {
  return {
    title: "API key",
    fields: [{ name: "key", label: "API key", isSecret: true }],
    fetchesToken: false,
    ...(location === "cookie" && { needs: "cookies" }),
    provide: ({ key = "" }) => fixed(key),
  };
}

const basicForm: SchemeForm = {
  title: "User name and password",
  fields: [
    { name: "user", label: "User name" },
    { name: "password", label: "Password", isSecret: true },
  ],
  fetchesToken: false,
  provide: ({ user = "", password = "" }) => fixed(basic(user, password)),
};

const certificateForm: SchemeForm = {
  title: "Client certificate",
  explanation: "The inspector presents the certificate that “parley inspect --client-cert” names.",
  fields: [],
  fetchesToken: false,
  needs: "certificate",
  provide: () => fixed("certificate"),
};

/** Flows of a card or of an issuer, and the endpoints of each. */
interface Flows {
  readonly authorizationCode?: { readonly authorizationUrl: string; readonly tokenUrl: string };
  readonly deviceCode?: { readonly deviceAuthorizationUrl: string; readonly tokenUrl: string };
  readonly clientCredentials?: { readonly tokenUrl: string };
}

/** The flows that the endpoints of an issuer permit. */
function flowsOf({ tokenUrl, authorizationUrl, deviceAuthorizationUrl }: IssuerEndpoints): Flows {
  if (tokenUrl === undefined) return {};
  return {
    ...(authorizationUrl !== undefined && { authorizationCode: { authorizationUrl, tokenUrl } }),
    ...(deviceAuthorizationUrl !== undefined && { deviceCode: { deviceAuthorizationUrl, tokenUrl } }),
    clientCredentials: { tokenUrl },
  };
}

function oauthForms({
  authorizationCode: code,
  deviceCode: device,
  clientCredentials: own,
}: Flows): SchemeForm[] {
  const forms: (SchemeForm | false)[] = [
    code !== undefined && {
      title: "Sign in with a browser",
      explanation: "The issuer’s page opens in a new window. Come back here once you have signed in.",
      fields: [
        clientId,
        optionalSecret,
        scopes,
        address("authorizationUrl", "Authorization URL", code.authorizationUrl),
        address("tokenUrl", "Token URL", code.tokenUrl),
      ],
      ...{ fetchesToken: true, needs: "redirect" as const },
      provide: (entered) =>
        authorizationCode({ ...identity(entered), ...urls(entered), redirect: browserRedirect }),
    },
    device !== undefined && {
      title: "Sign in on another device",
      explanation: "You get a code to enter on the issuer’s page, on this device or another one.",
      fields: [
        clientId,
        optionalSecret,
        scopes,
        address("deviceAuthorizationUrl", "Device authorization URL", device.deviceAuthorizationUrl),
        address("tokenUrl", "Token URL", device.tokenUrl),
      ],
      fetchesToken: true,
      provide: (entered) => deviceCode({ ...identity(entered), ...urls(entered), prompt: showPrompt }),
    },
    own !== undefined && {
      title: "A program’s own account",
      explanation: "The client id and its secret are exchanged for a token.",
      fields: [
        clientId,
        { ...optionalSecret, isOptional: false, hint: "" },
        scopes,
        address("tokenUrl", "Token URL", own.tokenUrl),
      ],
      fetchesToken: true,
      provide: (entered) => clientCredentials({ clientSecret: "", ...identity(entered), ...urls(entered) }),
    },
  ];
  return forms.filter((form) => form !== false);
}

const showPrompt: Parameters<typeof deviceCode>[0]["prompt"] = (prompt) => {
  signInStep.value = { kind: "device", prompt };
};

/** The addresses that were entered. They are given by the person, so the card does not decide where secrets go. */
function urls(entered: Entered) {
  const names = ["authorizationUrl", "deviceAuthorizationUrl", "tokenUrl"];
  return Object.fromEntries(
    Object.entries(entered).filter(([name, value]) => names.includes(name) && value !== ""),
  );
}
