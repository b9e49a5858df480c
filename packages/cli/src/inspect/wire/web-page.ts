import type { RecordingEntry } from '../../recorder/entry.ts';
import type { RowView } from '../view.ts';
import { rowOfEntry } from './row.ts';

/** Limits: messages, and characters of one text. */
const most = { entries: 5_000, text: 100_000 };

/** Facts of the servers of a recording. */
export interface SharedServer {
  readonly id: string;
  readonly name: string;
  readonly revision?: string | undefined;
}

/**
 * A recording as one file of HTML that a browser opens anywhere: it runs no script and loads nothing. The newest
 * messages are in it.
 *
 * @param entries Entries as they are shown, without secrets.
 */
export function toWebPage(
  entries: readonly RecordingEntry[],
  { version, servers }: { readonly version: string; readonly servers: readonly SharedServer[] },
): string {
  const shown = entries.slice(-most.entries);
  const left = entries.length - shown.length;
  const facts = servers.map(
    ({ id, name, revision }) =>
      `<li><b>${safe(id)}</b> ${safe(name)}${revision === undefined ? '' : `, ${revision}`}</li>`,
  );
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<meta http-equiv="content-security-policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>Messages of ${safe(servers.map(({ name }) => name).join(', ') || 'no server')}</title>
<style>${style}</style>
</head>
<body>
<h1>MCP messages</h1>
<ul>${facts.join('')}</ul>
<p>${shown.length.toLocaleString('en')} messages${left > 0 ? `, without ${left.toLocaleString('en')} older ones` : ''}, recorded by parley inspect ${safe(version)}. Secrets are masked.</p>
${shown.map(messageOf).join('\n')}
</body>
</html>
`;
}

function messageOf(entry: RecordingEntry): string {
  const row = rowOfEntry(entry);
  const { n, t, s, from, what, about = '', status, ms } = row;
  const isBad = row.kind === 'error' || row.failed === true || row.problem === true || (status ?? 0) >= 400;
  const facts = [status, ms === undefined ? undefined : `${ms} ms`].filter((one) => one !== undefined).join(' ');
  const head = `<span>${n}</span> <time>${new Date(t).toISOString().slice(11, 23)}</time> <b>${safe(s)} ${from === 'client' ? '→' : '←'}</b> ${of(row)}${safe(what)} <i>${safe(about)}</i> <span>${facts}</span>`;
  const body = bodyOf(entry);
  const className = isBad ? ' class="bad"' : '';
  return body === ''
    ? `<p${className}>${head}</p>`
    : `<details${className}><summary>${head}</summary><pre>${safe(body)}</pre></details>`;
}

function of({ kind }: RowView): string {
  return kind === 'result' || kind === 'error' ? `${kind} of ` : '';
}

/** The text of an entry with its headers; JSON is laid out. */
function bodyOf({ text = '', http, problem }: RecordingEntry): string {
  const headers = Object.entries(http?.headers ?? {}).map(([name, value]) => `${name}: ${value}`);
  const cut =
    text.length > most.text
      ? `${text.slice(0, most.text)}… (${text.length - most.text} characters more)`
      : laidOut(text);
  return [problem, headers.join('\n'), cut].filter((part) => part !== undefined && part !== '').join('\n\n');
}

function laidOut(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), undefined, 2);
  } catch {
    return text;
  }
}

/** Characters that hide, or turn what stands around them. */
const odd =
  // oxlint-disable-next-line no-control-regex -- control characters are what this is about
  /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/g;

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** A text of a stranger as text of HTML. */
function safe(text: string): string {
  return text
    .replaceAll(/[&<>"']/g, (one) => entities[one] ?? '')
    .replaceAll(odd, (one) => `U+${(one.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`);
}

const style = `:root{color-scheme:light dark}
body{font:13px/1.45 system-ui,sans-serif;margin:16px;max-width:1100px}
details,p{border-bottom:1px solid #8884;padding:3px 0;margin:0}
summary{cursor:pointer;overflow-wrap:anywhere}
time,summary span,p span{opacity:.7}
i{font-style:normal;font-weight:600}
pre{white-space:pre-wrap;overflow-wrap:anywhere;font:12.5px/1.45 ui-monospace,monospace;padding:8px;background:#8881;border-radius:6px}
.bad>summary,.bad{color:light-dark(#b3261e,#ff9a90)}
.bad>pre{color:CanvasText}`;
