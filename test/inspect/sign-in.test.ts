/** A person who signs in at a guarded server from the page: a real authorization server, a browser that goes through its pages. */

import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { once } from 'node:events';
import { test } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import type { AddressInfo } from 'node:net';
import type { EntryView, OutcomeView, RowView } from '../../packages/cli/src/inspect/view.ts';
import { assertSilent, scene } from '../support/command-line-scene.ts';
import { noPage } from '../support/inspected.ts';
import { authRows, readable, signedInspect, waitingIn, type Inspected } from '../support/signed-inspect.ts';
import { stuckAfterMs } from '../support/stuck.ts';

const skip = noPage;

test(
  'a guarded server is signed in to by a click, its requests are shown, and it is signed out of',
  { skip },
  async (t) => {
    const { as, server, machine } = await scene(t);
    const here = await signedInspect(t, machine, server.url);
    const { lines, json, post, becomes, rowsCome } = here;
    const refused = await becomes(({ state }) => state === 'failed');
    assert.deepEqual([refused.wantsSignIn, refused.login], [true, undefined]);
    assert.match(refused.advice ?? '', /Sign in/);
    assert.deepEqual(await machine.opened(), []);

    await json('connect', { server: 'A', asks: true });
    const { login } = await becomes(({ state, login: kept }) => state === 'connected' && kept !== undefined);
    assert.deepEqual([login?.issuer, login?.isRenewable], [as.issuer, true]);
    assert.equal((await machine.opened()).length, 1);
    const isToken = ({ what }: RowView): boolean => what.startsWith('POST') && what.includes('/token');
    const asked = await rowsCome((rows) => rows.some(isToken));
    assert.ok(asked.some(({ what }) => what.includes('/.well-known/oauth-protected-resource')));
    const { n } = asked.find(isToken) ?? assert.fail();
    const { entry } = await json<EntryView>('entry', { n, reveal: true });
    assert.match(String(entry['text']), /grant_type=authorization_code/);
    assert.match(String(entry['text']), /code_verifier=•••/);

    assert.deepEqual(await json('sign-out', { server: 'A' }), { revoked: true });
    await becomes(({ state, login: kept }) => state === 'closed' && kept === undefined);
    assert.equal(as.revokedGrants(), 1);
    // A second click finds nobody, and complains of nothing.
    assert.deepEqual(await json('sign-out', { server: 'A' }), { revoked: null });
    await (await post('connect', { server: 'A' })).text();
    await becomes(({ state, wantsSignIn }) => state === 'failed' && wantsSignIn);
    const revoked = (): number => authRows(lines).filter(({ what }) => /revocation/.test(what)).length;
    await rowsCome(() => revoked() >= 2);
    // Another one would have come.
    await setTimeout(300);
    assert.equal(revoked(), 2);
    assertSilent([await readable(here)], as);
  },
);

/** Lets steps go, one after the other. */
async function lettingGo({ becomes, json }: Inspected, parts: readonly string[]): Promise<void> {
  for (const part of parts) {
    const step = waitingIn(await becomes((view) => waitingIn(view)?.part === part));
    await json('go-on', { server: 'A', step: step?.id });
  }
}

/** Lets each step go, and tells which they were; `seen` is told of each before. */
async function stepped(
  { becomes, post }: Inspected,
  seen: (part: string, row: number | undefined) => Promise<void> | void,
  isOver: () => boolean,
): Promise<readonly string[]> {
  const parts: string[] = [];
  let last = 0;
  for (;;) {
    const view = await becomes((now) => (isOver() && waitingIn(now) === undefined) || (waitingIn(now)?.id ?? 0) > last);
    const step = waitingIn(view);
    if (step === undefined || step.id <= last) return parts;
    await seen(step.part, step.row);
    parts.push(step.part);
    last = step.id;
    const body = { server: 'A', step: step.id };
    assert.equal((await post('go-on', body)).status, 200);
    // A second click lets the next step wait.
    assert.equal((await post('go-on', body)).status, 409);
  }
}

for (const [title, env] of [
  ['a sign-in that is paused sends no step before the person lets it go, however long they look', {}],
  ['a sign-in behind a proxy has the same steps', { NODE_USE_ENV_PROXY: '1' }],
] as const)
  test(title, { skip }, async (t) => {
    const { server, machine } = await scene(t);
    const here = await signedInspect(t, { env: { ...machine.env, ...env } }, server.url);
    const { lines, post, json, becomes, rowsCome } = here;
    await becomes(({ wantsSignIn, pauses }) => wantsSignIn && !pauses);
    await json('pause-sign-in', { server: 'A', on: true });
    await json('connect', { server: 'A', asks: true });
    await becomes((view) => waitingIn(view) !== undefined);
    // The attempt without a person looked at metadata too, and its rows may come yet.
    const began = Date.now();
    const sentSince = (): number => authRows(lines).filter((row) => row.t >= began).length;
    const sent: string[] = [];
    let isConnected = false;
    void becomes(({ state }) => state === 'connected').then(() => (isConnected = true));
    const parts = await stepped(
      here,
      async (part, row) => {
        // Longer than an answer may take.
        if (part === 'metadata' && title.includes('long')) await setTimeout(11_000);
        assert.ok(sentSince() <= sent.length, `${part} waits, and was sent`);
        assert.equal((await machine.opened()).length, sent.includes('browser') ? 1 : 0);
        assert.equal(row, undefined);
        sent.push(part);
      },
      () => isConnected,
    );
    assert.deepEqual([...new Set(parts)], ['challenge', 'metadata', 'issuer', 'registration', 'browser', 'token']);
    const { signIn = [] } = await becomes(({ state }) => state === 'connected');
    assert.ok(signIn.some(({ part }) => part === 'code'));
    assert.deepEqual(new Set(signIn.map((step) => step.state)), new Set(['done']));
    // Each request is found in the wire by its step.
    const requests = signIn.filter(({ part }) => part !== 'code' && part !== 'browser');
    assert.ok(requests.length >= 5);
    await rowsCome((rows) => requests.every(({ row }) => rows.some(({ n }) => n === row)));
    assert.ok(sentSince() >= requests.length);
    assert.equal((await post('go-on', { server: 'A', step: 1 })).status, 409);
  });

test('a paused sign-in that is given up sends nothing any more, and opens no page', { skip }, async (t) => {
  const { server, machine } = await scene(t);
  const here = await signedInspect(t, machine, server.url);
  const { lines, post, json, becomes } = here;
  await becomes(({ wantsSignIn }) => wantsSignIn);
  assert.equal((await post('go-on', { server: 'A', step: 1 })).status, 409);
  await json('pause-sign-in', { server: 'A', on: true });
  await json('connect', { server: 'A', asks: true });
  await lettingGo(here, ['challenge', 'metadata', 'issuer', 'registration']);
  await becomes((view) => waitingIn(view)?.part === 'browser');
  const before = Date.now();
  await json('disconnect', { server: 'A' });
  const closed = await becomes(({ state }) => state === 'closed');
  assert.equal(closed.signIn, undefined);
  assert.equal((await post('go-on', { server: 'A', step: 1 })).status, 409);
  await setTimeout(300);
  assert.deepEqual([authRows(lines).filter(({ t: at }) => at >= before), await machine.opened()], [[], []]);
});

test('a sign-in that is held for too long ends, and what held it lets nothing go any more', { skip }, async (t) => {
  const { server, machine } = await scene(t);
  const here = await signedInspect(t, machine, server.url, '--login-timeout', '2');
  const { post, json, becomes } = here;
  await becomes(({ wantsSignIn }) => wantsSignIn);
  await json('pause-sign-in', { server: 'A', on: true });
  await json('connect', { server: 'A', asks: true });
  await lettingGo(here, ['challenge', 'metadata', 'issuer', 'registration']);
  const failed = await becomes(({ state }) => state === 'failed');
  assert.match(failed.problem ?? '', /the user did not sign in .* within 2 s/);
  const { signIn = [] } = await becomes((view) => waitingIn(view) === undefined);
  assert.equal(signIn.at(-1)?.state, 'failed');
  assert.equal((await post('go-on', { server: 'A', step: 1 })).status, 409);
  assert.deepEqual(await machine.opened(), []);
});

/** Signs in without a pause. */
async function signedIn({ json, becomes }: Inspected): Promise<void> {
  await becomes(({ wantsSignIn }) => wantsSignIn);
  await json('connect', { server: 'A', asks: true });
  await becomes(({ state, login, version }) => state === 'connected' && login !== undefined && version > 0);
}

/** Calls a tool of the server; the end of the call is to be waited for. */
async function calling({ json, lines }: Inspected, name: string): Promise<() => Promise<OutcomeView>> {
  const body = { server: 'A', kind: 'tool', name, text: '{}' };
  const { call } = await json<{ readonly call: number }>('call', body);
  return async () => {
    const until = Date.now() + stuckAfterMs;
    while (!lines.some((line) => line.kind === 'call' && line.call.id === call && line.call.state !== 'running')) {
      assert.ok(Date.now() < until, `${name} goes on and on`);
      await setTimeout(20);
    }
    return (await json<{ readonly outcome: OutcomeView }>('outcome', { call })).outcome;
  };
}

test(
  'a call that needs more than was granted waits before the page is opened, and is answered after it',
  { skip },
  async (t) => {
    const { as, server, machine } = await scene(t);
    const here = await signedInspect(t, machine, server.url, '--scope', 'read');
    await signedIn(here);
    const outcome = await calling(here, 'write');
    const { signIn = [] } = await here.becomes((view) => waitingIn(view)?.part === 'browser');
    assert.deepEqual(
      signIn.map(({ part, state }) => `${part} ${state}`),
      ['challenge done', 'metadata done', 'issuer done', 'browser waits'],
    );
    // Nobody clicked to sign in.
    assert.equal((await machine.opened()).length, 1);
    await lettingGo(here, ['browser']);
    assert.match(JSON.stringify(await outcome()), /written/);
    assert.equal((await machine.opened()).length, 2);
    const { login } = await here.becomes((view) => view.login?.scopes.includes('write') === true);
    assert.ok(login?.scopes.includes('read'));
    assertSilent([await readable(here)], as);
  },
);

test('a sign-in for more is paused like the first, and a call that is cancelled gives it up', { skip }, async (t) => {
  const { server, machine } = await scene(t);
  const here = await signedInspect(t, machine, server.url, '--scope', 'read');
  await signedIn(here);
  await here.json('pause-sign-in', { server: 'A', on: true });
  const given = await calling(here, 'write');
  await lettingGo(here, ['metadata', 'issuer']);
  await here.becomes((view) => waitingIn(view)?.part === 'browser');
  const call = here.lines.findLast((line) => line.kind === 'call')?.call.id;
  await here.json('cancel', { call });
  await given();
  await here.becomes((view) => waitingIn(view) === undefined);
  assert.equal((await here.post('go-on', { server: 'A', step: 1 })).status, 409);
  assert.equal((await machine.opened()).length, 1);
  let isOver = false;
  const outcome = (await calling(here, 'write'))().finally(() => (isOver = true));
  void outcome.catch(() => {});
  const parts = await stepped(
    here,
    () => {},
    () => isOver,
  );
  assert.deepEqual(parts, ['metadata', 'issuer', 'browser', 'token']);
  assert.match(JSON.stringify(await outcome), /written/);
});

test('a restart while a sign-in for more is held gives it up, and the next one begins anew', { skip }, async (t) => {
  const { server, machine } = await scene(t);
  const here = await signedInspect(t, machine, server.url, '--scope', 'read');
  await signedIn(here);
  await here.json('pause-sign-in', { server: 'A', on: true });
  const given = await calling(here, 'write');
  const { version } = await here.becomes((view) => waitingIn(view) !== undefined);
  await here.json('connect', { server: 'A', revision: 'auto' });
  assert.match(JSON.stringify(await given()), /error/);
  await here.becomes((view) => view.state === 'connected' && view.version > version && waitingIn(view) === undefined);
  assert.equal((await machine.opened()).length, 1);
  assert.equal((await here.post('go-on', { server: 'A', step: 1 })).status, 409);
  await here.json('pause-sign-in', { server: 'A', on: false });
  const outcome = await calling(here, 'write');
  await lettingGo(here, ['browser']);
  assert.match(JSON.stringify(await outcome()), /written/);
  assert.equal((await machine.opened()).length, 2);
});

test('a step shows the requirements that its answer breaks', { skip }, async (t) => {
  const { machine } = await scene(t);
  const faulty = createServer((request, response) => {
    if (request.url?.startsWith('/.well-known/oauth-protected-resource') === true) {
      const metadata = { resource: `http://${request.headers.host}/mcp`, scopes_supported: ['read', 'offline_access'] };
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(metadata));
    } else if (request.url === '/mcp')
      response.writeHead(401, { 'www-authenticate': 'Bearer scope="read offline_access"' }).end();
    else response.writeHead(404).end();
  });
  faulty.listen(0, '127.0.0.1');
  await once(faulty, 'listening');
  t.after(() => faulty.close().closeAllConnections());
  const url = `http://127.0.0.1:${(faulty.address() as AddressInfo).port}/mcp`;
  const { json, becomes, rowsCome } = await signedInspect(t, machine, url);
  await becomes(({ state }) => state === 'failed');
  await json('connect', { server: 'A', asks: true });
  const { signIn = [] } = await becomes(({ state, signIn: steps = [] }) => state === 'failed' && steps.length > 1);
  const broken = Object.fromEntries(signIn.map((step) => [step.part, step.broken]));
  assert.deepEqual(broken['challenge'], ['auth-116']);
  assert.deepEqual(broken['metadata'], ['auth-024', 'auth-116']);
  const isBroken = (one: RowView): boolean => one.broken?.includes('auth-024') === true;
  const row = (await rowsCome((rows) => rows.some(isBroken))).findLast(isBroken);
  const { broken: told } = await json<EntryView>('entry', { n: row?.n ?? 0 });
  assert.match(told.map(({ words }) => words).join(), /Resource metadata name the resource/);
});
