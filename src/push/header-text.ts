const PRINTABLE = /^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/;
const TOKEN = /^[A-Za-z0-9!#$%&'*+.^_`|~-]+$/;

/** Whether a text can be the value of a header and arrives as it was: printable ASCII, no space at its ends (SEC-15). */
export function isHeaderText(text: string): boolean {
  return PRINTABLE.test(text);
}

/** Whether a text can be the name of an authentication scheme (RFC 9110, `token`). */
export function isSchemeName(text: string): boolean {
  return TOKEN.test(text);
}
