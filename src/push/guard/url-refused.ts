/**
 * A URL that must not be called: by its text, or because of an address that its host stands for. The message goes on where
 * the name of a member ends ("must not …"), so that it can be shown to whoever gave the URL.
 */
export class UrlRefused extends Error {
  override readonly name = "UrlRefused";
}
