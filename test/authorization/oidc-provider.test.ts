/** A person signs in at a real authorization server, and everything that follows from it. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createConnect } from '../../packages/parley/src/client/connect.ts';
import { httpTransport } from '../../packages/parley/src/transports/http/client/transport.ts';
import type { HttpTransportOptions } from '../../packages/parley/src/transports/http/client/request.ts';
import { transportOptionNames } from '../../packages/parley/src/transports/http/client/request.ts';
import { memoryCredentialStore, oauth, page, type RedirectHook } from '../../packages/parley/src/oauth.ts';
import { guardedServer } from '../support/guarded-server.ts';
import { authorizationServer } from '../support/oidc-provider.ts';
import { visitPages } from '../support/visited-pages.ts';

const connect = createConnect<HttpTransportOptions>({ http: httpTransport, options: transportOptionNames });

test('a person signs in and calls a tool', async (t) => {
  const as = await authorizationServer(t);
  const server = await guardedServer(t, as.issuer);
  const auth = oauth({ redirect: ({ url }) => visitPages(url), redirectUri: 'http://127.0.0.1:33418/callback' });
  const client = await connect(server.url, { auth });
  t.after(() => client.close());
  const result = await client.callTool('whoami');
  assert.deepEqual(result.content, [{ type: 'text', text: 'ann' }]);
  const identity = await auth.identity();
  assert.deepEqual(
    [identity?.issuer, identity?.resource, identity?.scopes, identity?.renewable],
    [as.issuer, server.url, ['read'], true],
  );
});

test('a server that takes bound tokens alone is told of by name, and gets them where they are allowed', async (t) => {
  const as = await authorizationServer(t);
  const server = await guardedServer(t, as.issuer, { bound: true });
  const redirect: RedirectHook = ({ url }) => visitPages(url);
  const settings = { redirect, redirectUri: 'http://127.0.0.1:33418/callback' };
  const plain = oauth(settings);
  await assert.rejects(connect(server.url, { auth: plain }), /bound to a key \(DPoP\): set dpop to 'auto'/);
  const client = await connect(server.url, { auth: oauth({ ...settings, dpop: 'auto' }) });
  t.after(() => client.close());
  assert.deepEqual((await client.callTool('scheme')).content, [{ type: 'text', text: 'DPoP' }]);
});

test('more is asked for when a tool needs more', async (t) => {
  const as = await authorizationServer(t);
  const server = await guardedServer(t, as.issuer);
  const reasons: string[] = [];
  const redirect: RedirectHook = ({ url, reason, scopes }) => {
    reasons.push(`${reason} ${scopes.join(' ')}`);
    return visitPages(url);
  };
  const client = await connect(server.url, {
    auth: oauth({ redirect, redirectUri: 'http://127.0.0.1:33418/callback' }),
  });
  t.after(() => client.close());
  assert.deepEqual((await client.callTool('write')).content, [{ type: 'text', text: 'written' }]);
  assert.deepEqual(reasons, ['login read', 'step-up read write']);
});

test('a login for which the page was left is finished once, and one that was abandoned is forgotten', async (t) => {
  const as = await authorizationServer(t);
  const server = await guardedServer(t, as.issuer);
  const left: string[] = [];
  const store = memoryCredentialStore();
  let now = Date.now();
  const redirect = page({ navigate: (url) => void left.push(url), redirectUri: 'http://127.0.0.1:33418/callback' });
  const auth = oauth({ redirect, store, now: () => now });
  const leave = async (): Promise<string> => {
    await assert.rejects(connect(server.url, { auth }), { name: 'AuthorizationError', reason: 'login-required' });
    return left.pop() ?? '';
  };
  const pending = async (): Promise<number> => (await store.keys('login')).length;
  await leave();
  assert.equal(await pending(), 1);
  now += 25 * 3_600_000;
  const callback = await visitPages(await leave());
  assert.equal(await pending(), 1, 'the first is forgotten');
  const outcomes = await Promise.allSettled([auth.finish(callback), auth.finish(callback)]);
  assert.deepEqual(outcomes.map(({ status }) => status).toSorted(), ['fulfilled', 'rejected']);
  assert.equal(as.tokenRequests.length, 1);
  assert.equal(await pending(), 0);
  const client = await connect(server.url, { auth });
  t.after(() => client.close());
  assert.deepEqual((await client.callTool('whoami')).content, [{ type: 'text', text: 'ann' }]);
});

test('a connection is closed when the renewal beside its requests came through', async (t) => {
  let now = Date.now();
  let asked = (): void => {};
  let answer = (): void => {};
  const renewing = new Promise<void>((resolve) => (asked = resolve));
  const answered = new Promise<void>((resolve) => (answer = resolve));
  const answering = ({ url }: { readonly url?: string | undefined }): Promise<void> | undefined => {
    if (url !== '/token' || as.tokenRequests.length < 2) return undefined;
    asked();
    return answered;
  };
  const as = await authorizationServer(t, { answering });
  const server = await guardedServer(t, as.issuer);
  const auth = oauth({
    redirect: ({ url }) => visitPages(url),
    redirectUri: 'http://127.0.0.1:33418/callback',
    now: () => now,
  });
  const client = await connect(server.url, { auth });
  now += 280_000;
  await client.callTool('whoami');
  await renewing;
  let isClosed = false;
  const closing = client.close().then(() => (isClosed = true));
  await new Promise((resolve) => setImmediate(resolve));
  assert.equal(isClosed, false);
  answer();
  await closing;
  const renewed = (await auth.identity())?.expiresAt ?? 0;
  assert.ok(renewed > now + 200_000, 'what was renewed is kept');
});
