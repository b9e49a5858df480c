import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { connect } from 'node:net';
import { test } from 'node:test';
import type { RedirectRequest } from '../../../auth/common/redirect.ts';
import { loopback } from './loopback.ts';

const state = 'abcdefghijklmnopqrstuvwxyz';

function requestFor(redirectUri: string): RedirectRequest {
  return {
    url: 'https://as.example/authorize?x=1',
    redirectUri,
    state,
    reason: 'login',
    issuer: 'https://as.example',
    scopes: [],
  };
}

/** A login that waits, and what its browser may do. */
async function waiting(): Promise<{ uri: string; answer: Promise<string>; stop: AbortController; close(): void }> {
  const stop = new AbortController();
  const redirect = await loopback({ open: () => {} }).open(undefined, stop.signal);
  const answer = redirect.visit(requestFor(redirect.redirectUri), stop.signal);
  answer.catch(() => {});
  return { uri: redirect.redirectUri, answer, stop, close: () => redirect.close() };
}

test('three ports are registered together, at the loopback address by number', () => {
  const { redirectUris } = loopback();
  assert.equal(redirectUris.length, 3);
  for (const uri of redirectUris) assert.match(uri, /^http:\/\/127\.0\.0\.1:\d+\/callback$/);
});

test('the URL comes back with all its parameters, and the page holds none of them', async () => {
  const login = await waiting();
  const response = await fetch(`${login.uri}?state=${state}&code=se%20cret&iss=https://as.example`);
  const page = await response.text();
  assert.equal(response.status, 200);
  assert.doesNotMatch(page, /se.*cret|as\.example/);
  assert.match(response.headers.get('content-security-policy') ?? '', /default-src 'none'/);
  assert.equal(response.headers.get('cache-control'), 'no-store');
  assert.equal(await login.answer, `${login.uri}?state=${state}&code=se%20cret&iss=https://as.example`);
  login.close();
});

test('another state, path, method or Host gets 404 and has no effect', async () => {
  const login = await waiting();
  const { port } = new URL(login.uri);
  const statuses = [
    await fetch(`${login.uri}?state=other&code=x`),
    await fetch(`${login.uri}?code=x`),
    await fetch(`http://127.0.0.1:${port}/other?state=${state}`),
    await fetch(`${login.uri}?state=${state}`, { method: 'POST' }),
    await fetch(`${login.uri}?state=${state}`, { method: 'HEAD' }),
  ].map(({ status }) => status);
  assert.deepEqual(statuses, [404, 404, 404, 404, 404]);
  assert.equal(await statusFor(Number(port), `/callback?state=${state}`, 'evil.example'), 404);
  assert.equal((await fetch(`${login.uri}?state=${state}&error=access_denied`)).status, 200);
  assert.match(await login.answer, /error=access_denied/);
  login.close();
});

test('who gives up gets the reason, and the port is free again', async () => {
  const login = await waiting();
  login.stop.abort(new Error('nobody waits'));
  await assert.rejects(login.answer, /nobody waits/);
  login.close();
  await assert.rejects(fetch(`${login.uri}?state=${state}`));
});

test('a port that is taken is passed over for the next of those that are registered', async (t) => {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => server.close());
  const { port } = server.address() as { port: number };
  const free = loopback().redirectUris;
  const registered = [`http://127.0.0.1:${port}/callback`, ...free.map((uri) => uri.replace('127.0.0.1', 'localhost'))];
  const redirect = await loopback({ open: () => {} }).open(registered, new AbortController().signal);
  assert.equal(redirect.redirectUri, free[0]);
  redirect.close();
});

test('without a browser the error says what to do, and with somebody who was told the address it waits', async () => {
  const cannot = (): Promise<void> => Promise.reject(new Error('no browser'));
  const { signal } = new AbortController();
  const alone = await loopback({ open: cannot }).open(undefined, signal);
  await assert.rejects(alone.visit(requestFor(alone.redirectUri), signal), /no browser could be opened.*--no-browser/);
  alone.close();
  const told: string[] = [];
  const redirect = await loopback({ open: cannot, onUrl: (url) => told.push(url) }).open(undefined, signal);
  const answer = redirect.visit(requestFor(redirect.redirectUri), signal);
  await fetch(`${redirect.redirectUri}?state=${state}&code=x`);
  assert.match(await answer, /code=x/);
  assert.deepEqual(told, ['https://as.example/authorize?x=1']);
  redirect.close();
});

test('unknown options and ports that are none are refused', () => {
  assert.throws(() => loopback({ port: 1 } as object), /port/);
  assert.throws(() => loopback({ ports: [0] }), /no port/);
});

/** The status of a request that names another host than it goes to. */
async function statusFor(port: number, path: string, host: string): Promise<number> {
  const { request } = await import('node:http');
  return await new Promise((resolve, reject) => {
    const sent = request({ host: '127.0.0.1', port, path, headers: { host } }, (response) => {
      response.resume();
      resolve(response.statusCode ?? 0);
    });
    sent.on('error', reject);
    sent.end();
  });
}

test('a connection that a browser opened in advance ends with the login', async () => {
  const login = await waiting();
  const silent = connect(Number(new URL(login.uri).port), '127.0.0.1');
  silent.on('error', () => {});
  await once(silent, 'connect');
  assert.match(await (await fetch(`${login.uri}?state=${state}&code=x`)).text(), /close this page/);
  const ended = once(silent, 'close');
  await login.answer;
  login.close();
  await ended;
});

test('what hears of the page and fails ends the login, and nothing else', async (t) => {
  const unhandled: unknown[] = [];
  const heard = (error: unknown): void => void unhandled.push(error);
  process.on('unhandledRejection', heard);
  t.after(() => process.off('unhandledRejection', heard));
  const stop = new AbortController();
  const onUrl = (): never => {
    throw new Error('of the program');
  };
  const redirect = await loopback({ open: () => {}, onUrl }).open(undefined, stop.signal);
  await assert.rejects(async () => redirect.visit(requestFor(redirect.redirectUri), stop.signal), /of the program/);
  redirect.close();
  // Rejections that nobody handles are told after this turn.
  await new Promise((resolve) => setImmediate(resolve));
  assert.deepEqual(unhandled, []);
});
