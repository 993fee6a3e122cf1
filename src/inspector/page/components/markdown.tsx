import { lexer, type Token, type Tokens } from "marked";
import type { ComponentChildren } from "preact";
import { LongText } from "./long-text.js";

/** Characters of Markdown that are rendered; longer text stays plain. */
const LIMIT = 200_000;

/**
 * Markdown as elements. It makes elements of a fixed list from marked's tokens and never parses HTML: markup in the text is shown as text,
 * images as links, and links lead to http, https and mailto only.
 */
export function Markdown({ text }: { text: string }) {
  if (text.length > LIMIT)
    return (
      <div class="text">
        <LongText text={text} />
      </div>
    );
  return <div class="markdown">{blocks(lexer(text))}</div>;
}

/** The address of a link if it is one that may be followed. */
export function safeLink(href: string): string | undefined {
  if (!URL.canParse(href)) return undefined;
  const url = new URL(href);
  return ["http:", "https:", "mailto:"].includes(url.protocol) ? url.href : undefined;
}

function blocks(tokens: readonly Token[] = []): ComponentChildren {
  return tokens.map((token, index) => <Block key={index} token={token} />);
}

/** How each kind of token is shown. A kind that is not in the list is shown as the text that it was written in. */
const elements: Readonly<Record<string, (token: never) => ComponentChildren>> = {
  space: () => null,
  paragraph: ({ tokens }: Tokens.Paragraph) => <p>{blocks(tokens)}</p>,
  heading: ({ tokens }: Tokens.Heading) => <h4>{blocks(tokens)}</h4>,
  blockquote: ({ tokens }: Tokens.Blockquote) => <blockquote>{blocks(tokens)}</blockquote>,
  code: ({ text }: Tokens.Code) => <pre>{text}</pre>,
  hr: () => <hr />,
  list: ({ ordered, items }: Tokens.List) => {
    const entries = items.map((item, index) => <li key={index}>{blocks(item.tokens)}</li>);
    return ordered ? <ol>{entries}</ol> : <ul>{entries}</ul>;
  },
  table: (token: Tokens.Table) => <MarkdownTable token={token} />,
  strong: ({ tokens }: Tokens.Strong) => <strong>{blocks(tokens)}</strong>,
  em: ({ tokens }: Tokens.Em) => <em>{blocks(tokens)}</em>,
  del: ({ tokens }: Tokens.Del) => <del>{blocks(tokens)}</del>,
  codespan: ({ text }: Tokens.Codespan) => <code>{text}</code>,
  br: () => <br />,
  escape: ({ text }: Tokens.Escape) => text,
  text: ({ text, tokens }: Tokens.Text) => (tokens === undefined ? text : blocks(tokens)),
  link: ({ href, tokens }: Tokens.Link) => <Link href={href}>{blocks(tokens)}</Link>,
  image: ({ href, text }: Tokens.Image) => <Link href={href}>Image: {text || href}</Link>,
};

function Block({ token }: { token: Token }) {
  const element = elements[token.type] as ((token: Token) => ComponentChildren) | undefined;
  return <>{element === undefined ? token.raw : element(token)}</>;
}

function Link({ href, children }: { href: string; children: ComponentChildren }) {
  const target = safeLink(href);
  if (target === undefined) return <span title="This link was removed">{children}</span>;
  return (
    <a href={target} target="_blank" rel="noopener noreferrer nofollow">
      {children}
    </a>
  );
}

function MarkdownTable({ token: { header, rows } }: { token: Tokens.Table }) {
  return (
    <table>
      <thead>
        <tr>
          {header.map((cell, index) => (
            <th key={index}>{blocks(cell.tokens)}</th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map((row, index) => (
          <tr key={index}>
            {row.map((cell, column) => (
              <td key={column}>{blocks(cell.tokens)}</td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}
