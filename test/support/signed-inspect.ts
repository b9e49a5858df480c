/** A process of `parley inspect` on the machine of a person who signs in, and whoever speaks to it as its page does. */

import { once } from 'node:events';
import type { TestContext } from 'node:test';
import { start } from './cli-process.ts';
import type { EntryView, FeedLine, RowView, ServerView, SignInStepView } from '../../packages/cli/src/inspect/view.ts';
import type { Machine } from './page-opener.ts';
import { stuckAfterMs } from './stuck.ts';

/** A process of `parley inspect` before a server, with a page that hears it. */
export interface Inspected {
  /** Lines of the feed so far. */
  readonly lines: readonly FeedLine[];
  post(verb: string, body?: object): Promise<Response>;
  json<Result>(verb: string, body?: object): Promise<Result>;
  /** Waits for a state of a server, as it is now. */
  becomes(is: (view: ServerView) => boolean): Promise<ServerView>;
  /** Waits for rows of what is said about authorization, of both sides, which come a little after what is told of the server. */
  rowsCome(are: (rows: readonly RowView[]) => boolean): Promise<readonly RowView[]>;
}

/** Starts it; the words are a server, and options. */
export async function signedInspect(
  t: Pick<TestContext, 'after'>,
  machine: Pick<Machine, 'env'>,
  ...words: readonly string[]
): Promise<Inspected> {
  const running = start(['inspect', '--no-open', ...words], machine.env);
  t.after(async () => {
    running.child.kill('SIGTERM');
    await running.ended;
  });
  const address = new URL(await running.said(/at (http:\S+)/));
  const { origin, hash } = address;
  const headers = { authorization: `Bearer ${hash.slice(1)}`, 'content-type': 'application/json' };
  const post = (verb: string, body: object = {}): Promise<Response> =>
    fetch(`${origin}/api/${verb}`, { method: 'POST', headers, body: JSON.stringify(body) });
  const lines: FeedLine[] = [];
  const heard = new EventTarget();
  const feed = await post('feed');
  void (async () => {
    let rest = '';
    for await (const piece of feed.body?.pipeThrough(new TextDecoderStream()) ?? []) {
      const parts = (rest + piece).split('\n');
      rest = parts.pop() ?? '';
      // The process writes nothing else.
      for (const part of parts) lines.push(JSON.parse(part) as FeedLine);
      heard.dispatchEvent(new Event('line'));
    }
  })().catch(() => {});
  const becomes = async (is: (view: ServerView) => boolean): Promise<ServerView> => {
    const signal = AbortSignal.timeout(stuckAfterMs);
    for (;;) {
      const views = lines.flatMap((line) => (line.kind === 'server' ? [[line.server.id, line.server] as const] : []));
      const found = [...new Map(views).values()].find(is);
      if (found !== undefined) return found;
      await once(heard, 'line', { signal });
    }
  };
  const rowsCome = async (are: (rows: readonly RowView[]) => boolean): Promise<readonly RowView[]> => {
    const signal = AbortSignal.timeout(stuckAfterMs);
    for (;;) {
      const rows = allAuthRows(lines);
      if (are(rows)) return rows;
      await once(heard, 'line', { signal });
    }
  };
  const json = async <Result>(verb: string, body: object = {}): Promise<Result> => {
    const response = await post(verb, body);
    const value: unknown = await response.json();
    if (!response.ok) throw new Error(`${verb}: ${response.status} ${JSON.stringify(value)}`);
    // Each verb answers what its caller expects.
    return value as Result;
  };
  return { lines, post, json, becomes, rowsCome };
}

/** The step that waits for the person. */
export function waitingIn({ signIn = [] }: ServerView): SignInStepView | undefined {
  return signIn.find(({ state }) => state === 'waits');
}

/** Rows of requests about authorization, as they are now. */
export function authRows(lines: readonly FeedLine[]): readonly RowView[] {
  return allAuthRows(lines).filter(({ from }) => from === 'client');
}

function allAuthRows(lines: readonly FeedLine[]): readonly RowView[] {
  const rows = lines.flatMap((line) => (line.kind === 'rows' ? line.rows : []));
  return [...new Map(rows.map((row) => [row.n, row])).values()].filter(({ lane }) => lane === 'auth');
}

/** Everything that whoever looks at the page can read by now, as one text. */
export async function readable({ lines, json }: Inspected): Promise<string> {
  const rows = lines.flatMap((line) => (line.kind === 'rows' ? line.rows.map(({ n }) => n) : []));
  const entries = await Promise.all(
    [...new Set(rows)].map((n) => json<EntryView>('entry', { n, reveal: true }).catch(() => undefined)),
  );
  const exports = await Promise.all(
    ['recording', 'transcript', 'har'].map((what) => json<{ readonly text: string }>('export', { what })),
  );
  return JSON.stringify([lines, entries, exports]);
}
