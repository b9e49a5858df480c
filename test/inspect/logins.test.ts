/** What a person does about a login that they have, from the page: renew it, leave it, forget it. */

import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { fileCredentialStore } from '../../packages/parley/src/transports/node/credentials/file-credentials.ts';
import type { EntryView, OutcomeView } from '../../packages/cli/src/inspect/view.ts';
import { assertSilent, scene } from '../support/command-line-scene.ts';
import { noPage } from '../support/inspected.ts';
import type { Machine } from '../support/page-opener.ts';
import { authRows, readable, signedInspect, type Inspected } from '../support/signed-inspect.ts';
import { stuckAfterMs } from '../support/stuck.ts';

const skip = noPage;

async function signedIn({ json, becomes }: Inspected, server = 'A'): Promise<void> {
  await becomes(({ id, wantsSignIn }) => id === server && wantsSignIn);
  await json('connect', { server, asks: true });
  await becomes(({ id, state, login }) => id === server && state === 'connected' && login !== undefined);
}

/** Accounts of what is kept on a machine, by its kind. */
async function keptOn({ state }: Machine, kind: 'grant' | 'client' | 'server'): Promise<readonly string[]> {
  const store = fileCredentialStore({ folder: join(state, 'parley', 'credentials') });
  return (await store.keys(kind)).map(({ account = '' }) => account);
}

async function whoami({ json, lines }: Inspected): Promise<string> {
  const { call } = await json<{ readonly call: number }>('call', {
    server: 'A',
    kind: 'tool',
    name: 'whoami',
    text: '{}',
  });
  const until = Date.now() + stuckAfterMs;
  while (!lines.some((line) => line.kind === 'call' && line.call.id === call && line.call.state !== 'running')) {
    assert.ok(Date.now() < until);
    await setTimeout(20);
  }
  return JSON.stringify((await json<{ readonly outcome: OutcomeView }>('outcome', { call })).outcome);
}

test('a login is renewed by a click, and the connection goes on with the new token', { skip }, async (t) => {
  const { as, server, machine } = await scene(t);
  const here = await signedInspect(t, machine, server.url, '--read-only');
  await signedIn(here);
  const { login: first } = await here.becomes(({ login }) => login?.isRenewable === true);
  await setTimeout(1_100);
  await here.json('refresh', { server: 'A' });
  const {
    login,
    signIn = [],
    state,
  } = await here.becomes(({ login: next }) => (next?.expiresAt ?? 0) > (first?.expiresAt ?? 0));
  assert.equal(state, 'connected');
  const step = signIn.at(-1);
  assert.deepEqual([step?.part, step?.state, login?.isRenewable], ['token', 'done', true]);
  assert.match(step?.words ?? '', /renews/);
  const { entry } = await here.json<EntryView>('entry', { n: step?.row ?? 0, reveal: true });
  assert.match(String(entry['text']), /grant_type=refresh_token/);
  assert.match(String(entry['text']), /refresh_token=•••/);
  assert.deepEqual(
    as.tokenRequests.map(({ grantType }) => grantType),
    ['authorization_code', 'refresh_token'],
  );
  // Two clicks at once are answered alike, and use no refresh token twice, which would revoke all.
  await Promise.all([here.json('refresh', { server: 'A' }), here.json('refresh', { server: 'A' })]);
  assert.equal(as.revokedGrants(), 0);
  await here.json('lists', { server: 'A' });
  assert.equal(as.tokenRequests.filter(({ error }) => error !== undefined).length, 0);
  assertSilent([await readable(here)], as);
});

test(
  'a login that the authorization server renews no longer says so, and is signed in to anew',
  { skip },
  async (t) => {
    const { server, machine } = await scene(t);
    const here = await signedInspect(t, machine, server.url);
    await signedIn(here);
    // The refresh token was used by somebody else, as it seems to the authorization server.
    await machine.grantsEnd(3_600_000, { refreshToken: 'stolen-and-used-up' });
    const refused = await here.post('refresh', { server: 'A' });
    assert.equal(refused.status, 409);
    assert.match(await refused.text(), /sign in again/);
    const { wantsSignIn, state } = await here.becomes(({ login }) => login === undefined);
    assert.deepEqual([wantsSignIn, state], [true, 'connected']);
    await here.json('connect', { server: 'A', asks: true });
    await here.becomes(({ state: now, login }) => now === 'connected' && login !== undefined);
  },
);

test('an authorization server that fails renews nothing, and a click tries again at once', { skip }, async (t) => {
  let fails = false;
  const { as, server, machine } = await scene(t, {
    before({ url }, response) {
      if (!fails || url !== '/token') return false;
      response.writeHead(503).end();
      return true;
    },
  });
  const here = await signedInspect(t, machine, server.url);
  await signedIn(here);
  fails = true;
  const failed = await here.post('refresh', { server: 'A' });
  assert.equal(failed.status, 409);
  assert.match(await failed.text(), /503|later/);
  fails = false;
  await here.json('refresh', { server: 'A' });
  assert.equal(as.tokenRequests.at(-1)?.error, undefined);
});

test('what is forgotten is revoked nowhere, and the next sign-in registers anew', { skip }, async (t) => {
  const { as, server, machine } = await scene(t);
  const here = await signedInspect(t, machine, server.url);
  await signedIn(here);
  assert.match(await whoami(here), /ann|subject|"/);
  assert.ok((await keptOn(machine, 'grant')).length === 1 && (await keptOn(machine, 'client')).length > 0);
  await here.json('forget', { server: 'A' });
  await here.becomes(({ state, login }) => state === 'closed' && login === undefined);
  assert.deepEqual([await keptOn(machine, 'grant'), await keptOn(machine, 'client')], [[], []]);
  assert.ok(as.requests.every((request) => !request.includes('revocation')));
  assert.equal(as.revokedGrants(), 0);
  const registrations = (): number => as.requests.filter((request) => request === 'POST /reg').length;
  const before = registrations();
  await here.json('connect', { server: 'A' });
  await signedIn(here);
  assert.equal(registrations(), before + 1);
});

test('a server of a file is signed out of with the account of its entry', { skip }, async (t) => {
  const { as, server, machine } = await scene(t);
  const file = join(machine.state, '..', 'mcp.json');
  const entry = (account: string): object => ({ type: 'http', url: server.url, oauth: { account } });
  await writeFile(file, JSON.stringify({ mcpServers: { one: entry('work'), two: entry('home') } }));
  const here = await signedInspect(t, machine, '--config', file);
  await signedIn(here, 'A');
  await signedIn(here, 'B');
  assert.deepEqual((await keptOn(machine, 'grant')).toSorted(), ['home', 'work']);
  assert.deepEqual(await here.json('sign-out', { server: 'A' }), { revoked: true });
  assert.deepEqual(await keptOn(machine, 'grant'), ['home']);
  assert.equal(as.revokedGrants(), 1);
  // The other one goes on.
  const { login } = await here.becomes(({ id, state }) => id === 'B' && state === 'connected');
  assert.ok(login !== undefined);
});

test('two servers of one authorization server are signed in to at the same time', { skip }, async (t) => {
  const { server, machine } = await scene(t, {}, { takesMs: 300 });
  const file = join(machine.state, '..', 'mcp.json');
  const entry = (account: string): object => ({ type: 'http', url: server.url, oauth: { account } });
  await writeFile(file, JSON.stringify({ mcpServers: { one: entry('work'), two: entry('home') } }));
  const here = await signedInspect(t, machine, '--config', file);
  await Promise.all([signedIn(here, 'A'), signedIn(here, 'B')]);
  assert.deepEqual((await keptOn(machine, 'grant')).toSorted(), ['home', 'work']);
});

test('where credentials are given, nobody signs in or out', { skip }, async (t) => {
  const { server, machine } = await scene(t);
  const here = await signedInspect(
    t,
    { env: { ...machine.env, TOKEN: 'nobody-issued-it' } },
    server.url,
    '--token-env',
    'TOKEN',
  );
  const { canSignIn, wantsSignIn } = await here.becomes(({ state }) => state === 'failed');
  assert.deepEqual([canSignIn, wantsSignIn], [false, false]);
  for (const verb of ['refresh', 'sign-out', 'forget'])
    assert.equal((await here.post(verb, { server: 'A' })).status, 409, verb);
});

test('a server that is taken away while it is looked at does not come back', { skip }, async (t) => {
  const { server, machine } = await scene(t);
  const { json, lines } = await signedInspect(t, machine, server.url);
  const { server: id } = await json<{ readonly server: string }>('add', { url: server.url });
  await json('remove', { server: id });
  await setTimeout(1_500);
  const told = lines.filter(
    (line) => (line.kind === 'server' ? line.server.id : line.kind === 'gone' && line.server) === id,
  );
  assert.equal(told.at(-1)?.kind, 'gone');
});

test('a page that cannot be opened is told of in the log', { skip }, async (t) => {
  const { server, machine } = await scene(t);
  const here = await signedInspect(t, { env: { ...machine.env, PATH: '/nowhere' } }, server.url);
  await here.becomes(({ wantsSignIn }) => wantsSignIn);
  await here.json('connect', { server: 'A', asks: true });
  const until = Date.now() + stuckAfterMs;
  const said = (): string => JSON.stringify(here.lines.filter(({ kind }) => kind === 'logs'));
  while (!said().includes('was not opened')) {
    assert.ok(Date.now() < until, said());
    await setTimeout(50);
  }
});

test('verbs of logins take what they name, and nothing else', { skip }, async (t) => {
  const { server, machine } = await scene(t);
  const { post } = await signedInspect(t, machine, server.url);
  for (const [verb, body, status] of [
    ['pause-sign-in', { server: 'A' }, 400],
    ['pause-sign-in', { server: 'A', on: 'yes' }, 400],
    ['pause-sign-in', { server: 'Z', on: true }, 404],
    ['go-on', { server: 'A' }, 400],
    ['go-on', { server: 'A', step: 1, all: true }, 400],
    ['refresh', {}, 400],
    ['refresh', { server: 'Z' }, 404],
    ['sign-out', { server: 'A', revoke: false }, 400],
    ['forget', { server: 7 }, 400],
    ['connect', { server: 'A', asks: true, pauses: true }, 400],
  ] as const)
    assert.equal((await post(verb, body)).status, status, `${verb} ${JSON.stringify(body)}`);
});

test(
  'a sign-in that is clicked twice leaves one login, and requests to which nobody listens end',
  { skip },
  async (t) => {
    const { server, machine } = await scene(t, {}, { takesMs: 500 });
    const here = await signedInspect(t, machine, server.url);
    await here.becomes(({ wantsSignIn }) => wantsSignIn);
    await Promise.all([
      here.json('connect', { server: 'A', asks: true }),
      here.json('connect', { server: 'A', asks: true }),
    ]);
    await here.becomes(({ state, login }) => state === 'connected' && login !== undefined);
    assert.equal((await keptOn(machine, 'grant')).length, 1);
    assert.ok(authRows(here.lines).length > 0);
  },
);
