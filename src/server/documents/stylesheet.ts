/** Style of the pages for people: one column that fits narrow windows, in the colors that the reader's system prefers. */
export const stylesheet = `
:root {
  color-scheme: light dark;
  --page: #ffffff; --text: #1d2026; --quiet: #545b66; --link: #0b57d0; --box: #f3f5f8; --line: #d5dae2;
}
@media (prefers-color-scheme: dark) {
  :root { --page: #14171c; --text: #e6e9ee; --quiet: #a7afbc; --link: #8ab4f8; --box: #1f242c; --line: #3a424f; }
}
* { box-sizing: border-box; }
body { margin: 0; background: var(--page); color: var(--text); font: 16px/25px system-ui, sans-serif; overflow-wrap: anywhere; }
main { max-width: 736px; margin: 0 auto; padding: 40px 20px 64px; }
h1 { margin: 0; font-size: 32px; line-height: 38px; }
h2 { margin: 40px 0 12px; padding-top: 20px; border-top: 1px solid var(--line); font-size: 20px; }
h3 { margin: 24px 0 4px; font-size: 16px; }
p, ul, dl, pre { margin: 8px 0; }
ul { padding-left: 20px; }
a { color: var(--link); }
a:focus-visible { outline: 2px solid var(--link); outline-offset: 2px; }
code, pre { font-family: ui-monospace, monospace; font-size: 14px; }
code { background: var(--box); border-radius: 4px; padding: 2px 4px; }
pre { padding: 12px 16px; background: var(--box); border: 1px solid var(--line); border-radius: 8px; white-space: pre-wrap; }
pre code { background: none; padding: 0; }
dt { font-weight: 600; }
dd { margin: 0 0 8px; }
.lead { font-size: 18px; }
.quiet { color: var(--quiet); }
.kind { margin: 0 0 4px; color: var(--quiet); font-size: 14px; font-weight: 600; }
`;
