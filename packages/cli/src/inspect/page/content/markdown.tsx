import type { ComponentChildren, JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import type { Token, Tokens } from 'marked';
import { plain } from '../plain.ts';
import { problem, messageOf } from '../state.ts';

/** Deepest nesting that is drawn. */
const deepest = 20;

/** Markdown as nodes: HTML in it is text, links are text with their address, and images are their words; nothing is fetched. */
export function Markdown({ text }: { readonly text: string }): JSX.Element {
  const [tokens, setTokens] = useState<readonly Token[] | 'unread'>();
  useEffect(() => {
    let isWanted = true;
    void import('./tokens.ts')
      .then(({ tokensOf }) => {
        if (isWanted) setTokens(tokensOf(text) ?? 'unread');
      })
      .catch((error: unknown) => (problem.value = messageOf(error)));
    return () => {
      isWanted = false;
    };
  }, [text]);
  if (tokens === undefined) return <div class="markdown">…</div>;
  if (tokens !== 'unread') return <div class="markdown">{many(tokens, 0)}</div>;
  return (
    <>
      <p class="muted">It cannot be read as Markdown in reasonable time: this is its text.</p>
      <pre class="text">{plain(text)}</pre>
    </>
  );
}

function many(tokens: readonly Token[], depth: number): ComponentChildren {
  return tokens.map((token, at) => <Node key={at} token={token} depth={depth} />);
}

/** Tokens of extensions have other shapes; those of the lexer alone are drawn as more than text. */
function Node({ token, depth }: { readonly token: Token; readonly depth: number }): JSX.Element | null {
  if (depth > deepest) return <>{plain(token.raw)}</>;
  const inner = (tokens: readonly Token[] | undefined): ComponentChildren =>
    tokens === undefined ? plain(token.raw) : many(tokens, depth + 1);
  switch (token.type) {
    case 'space':
    case 'def':
      return null;
    case 'heading':
      // The page has headings of its own above these.
      return (
        <p class="md-heading" role="heading" aria-level={Math.min((token as Tokens.Heading).depth + 3, 6)}>
          {inner(token.tokens)}
        </p>
      );
    case 'paragraph':
      return <p>{inner(token.tokens)}</p>;
    case 'strong':
      return <strong>{inner(token.tokens)}</strong>;
    case 'em':
      return <em>{inner(token.tokens)}</em>;
    case 'del':
      return <del>{inner(token.tokens)}</del>;
    case 'codespan':
      return <code>{plain((token as Tokens.Codespan).text)}</code>;
    case 'code':
      return <pre class="text">{plain((token as Tokens.Code).text)}</pre>;
    case 'blockquote':
      return <blockquote>{inner(token.tokens)}</blockquote>;
    case 'br':
      return <br />;
    case 'hr':
      return <hr />;
    case 'list':
      return <List token={token as Tokens.List} depth={depth} />;
    case 'table':
      return <Table token={token as Tokens.Table} depth={depth} />;
    case 'link':
      return (
        <span>
          {inner(token.tokens)} <code class="muted">{plain((token as Tokens.Link).href)}</code>
        </span>
      );
    case 'image':
      return (
        <span class="muted">
          image: {plain((token as Tokens.Image).text)} <code>{plain((token as Tokens.Image).href)}</code>
        </span>
      );
    case 'text':
      return <>{token.tokens === undefined ? plain((token as Tokens.Text).text) : inner(token.tokens)}</>;
    case 'escape':
      return <>{plain((token as Tokens.Escape).text)}</>;
    default:
      return <>{plain(token.raw)}</>;
  }
}

function List({ token, depth }: { readonly token: Tokens.List; readonly depth: number }): JSX.Element {
  const items = token.items.map((item, at) => <li key={at}>{many(item.tokens, depth + 1)}</li>);
  return token.ordered ? <ol>{items}</ol> : <ul>{items}</ul>;
}

function Table({ token, depth }: { readonly token: Tokens.Table; readonly depth: number }): JSX.Element {
  return (
    <table>
      <thead>
        <tr>
          {token.header.map((cell, at) => (
            <th key={at} scope="col">
              {many(cell.tokens, depth + 1)}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {token.rows.map((row, at) => (
          <tr key={at}>
            {row.map((cell, column) => (
              <td key={column}>{many(cell.tokens, depth + 1)}</td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}
