/** A server that wants somebody to be signed in, in the page: nobody is asked before they click. */

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { test } from 'node:test';
import { start } from '../../src/cli/child.test.ts';
import type { EntryView, FeedLine, RowView, ServerView } from '../../src/inspect/view.ts';
import { scene } from '../support/command-line-scene.ts';
import { noPage } from '../support/inspected.ts';

test(
  'a guarded server is signed in to by a click, its requests are shown, and it is signed out of',
  { skip: noPage },
  async (t) => {
    const { as, server, machine } = await scene(t);
    const running = start(['inspect', '--no-open', server.url], machine.env);
    t.after(async () => {
      running.child.kill('SIGTERM');
      await running.ended;
    });
    const address = new URL(await running.said(/at (http:\S+)/));
    const headers = { authorization: `Bearer ${address.hash.slice(1)}`, 'content-type': 'application/json' };
    const post = (verb: string, body: object = {}): Promise<Response> =>
      fetch(`${address.origin}/api/${verb}`, { method: 'POST', headers, body: JSON.stringify(body) });
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
      const signal = AbortSignal.timeout(50_000);
      for (;;) {
        const last = lines.findLast((line) => line.kind === 'server');
        if (last !== undefined && is(last.server)) return last.server;
        await once(heard, 'line', { signal });
      }
    };
    const refused = await becomes(({ state }) => state === 'failed');
    assert.deepEqual([refused.wantsSignIn, refused.isSignedIn], [true, false]);
    assert.match(refused.advice ?? '', /Sign in/);
    assert.deepEqual(await machine.opened(), []);
    await (await post('connect', { server: 'A', asks: true })).text();
    const connected = await becomes(({ state }) => state === 'connected');
    assert.equal(connected.isSignedIn, true);
    assert.equal((await machine.opened()).length, 1);
    const rows: readonly RowView[] = lines.flatMap((line) => (line.kind === 'rows' ? line.rows : []));
    const asked = rows.filter(({ lane, from }) => lane === 'auth' && from === 'client').map(({ what }) => what);
    for (const part of ['oauth-protected-resource', 'oauth-authorization-server', 'token'])
      assert.ok(
        asked.some((what) => what.includes(part)),
        `${part} among ${asked.join(', ')}`,
      );
    const entries: EntryView[] = [];
    for (const { n } of rows) entries.push((await (await post('entry', { n, reveal: true })).json()) as EntryView);
    const told = JSON.stringify([lines, entries]);
    assert.ok(as.secrets.size > 0);
    for (const secret of as.secrets) assert.ok(!told.includes(secret), 'a secret is shown');
    await (await post('sign-out', { server: 'A' })).text();
    await (await post('connect', { server: 'A' })).text();
    await becomes(({ state, wantsSignIn }) => state === 'failed' && wantsSignIn);
  },
);
