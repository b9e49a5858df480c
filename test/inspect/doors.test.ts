/** Doors of the local process: each row over every route. */

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { inspecting, noPage, rawRequest, type InspectedScene } from '../support/inspected.ts';

const skip = noPage;

/** Files of the page, and a place where nothing is. */
const files = ['/', '/main.js', '/theme.css', '/nothing', '/../package.json', '/index.html'];

let scene: InspectedScene;

const ends: (() => Promise<void> | void)[] = [];

before(async () => {
  if (skip === false) scene = await inspecting({ after: (end) => void ends.push(end) }, []);
});

after(async () => {
  for (const end of ends) await end();
});

const json = { 'content-type': 'application/json' };

function routes(): readonly string[] {
  return [...files, ...scene.verbs.map((verb) => `/api/${verb}`)];
}

/** Sends the same to every route, and gives the statuses. */
async function everywhere(headers: Readonly<Record<string, string>>): Promise<ReadonlyMap<string, number>> {
  const { host } = new URL(scene.origin);
  const found = new Map<string, number>();
  for (const path of routes()) {
    const method = path.startsWith('/api/') ? 'POST' : 'GET';
    const { status } = await rawRequest(scene.origin, path, {
      method,
      headers: { host, ...headers },
      body: method === 'POST' ? '{}' : '',
    });
    found.set(path, status);
  }
  return found;
}

const foreign: readonly (readonly [string, Readonly<Record<string, string>>])[] = [
  ['a name that was made to point here', { host: 'evil.example:80' }],
  ['localhost by another name', { host: 'localhost' }],
  ['no port', { host: '127.0.0.1' }],
  ['an origin of another port of this machine', { origin: 'http://127.0.0.1:1' }],
  ['the origin of localhost', { origin: 'http://localhost' }],
  ['an opaque origin', { origin: 'null' }],
  ['an origin of elsewhere', { origin: 'https://evil.example' }],
  ['a page of another site', { 'sec-fetch-site': 'cross-site' }],
  ['a page of the same site and another port', { 'sec-fetch-site': 'same-site' }],
];

for (const [what, headers] of foreign)
  test(`every route refuses ${what}, even with the token`, { skip }, async () => {
    const statuses = await everywhere({ authorization: `Bearer ${scene.token}`, ...json, ...headers });
    assert.deepEqual([...new Set(statuses.values())], [403]);
  });

const keyless: readonly (readonly [string, Readonly<Record<string, string>>])[] = [
  ['without a token', {}],
  ['with a token of another run', { authorization: `Bearer ${'x'.repeat(43)}` }],
  ['with a token as a cookie', { cookie: 'token=x' }],
  ['with another scheme', { authorization: 'Basic eDp4' }],
];

for (const [what, headers] of keyless)
  test(`every verb refuses a request ${what}`, { skip }, async () => {
    const statuses = await everywhere({ ...json, ...headers });
    for (const verb of scene.verbs) assert.equal(statuses.get(`/api/${verb}`), 401, verb);
  });

test('every verb refuses a type of body that a form of a page can send, and other methods', { skip }, async () => {
  const { host } = new URL(scene.origin);
  const authorization = `Bearer ${scene.token}`;
  for (const verb of scene.verbs) {
    for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data', '']) {
      const headers = { host, authorization, ...(type === '' ? {} : { 'content-type': type }) };
      const { status } = await rawRequest(scene.origin, `/api/${verb}`, { method: 'POST', headers, body: '{}' });
      assert.equal(status, 415, `${verb} ${type}`);
    }
    for (const method of ['GET', 'PUT', 'DELETE', 'OPTIONS']) {
      const { status } = await rawRequest(scene.origin, `/api/${verb}`, {
        method,
        headers: { host, authorization, ...json },
      });
      assert.equal(status, 405, `${verb} ${method}`);
    }
  }
});

test('every answer has the policy, no CORS header, and nothing of the token', { skip }, async () => {
  const { host } = new URL(scene.origin);
  for (const path of routes()) {
    const { headers, text } = await rawRequest(scene.origin, path, { headers: { host } });
    const policy = String(headers['content-security-policy']);
    assert.match(
      policy,
      /default-src 'none'.*frame-ancestors 'none'.*require-trusted-types-for 'script'; trusted-types 'none'/,
    );
    assert.doesNotMatch(policy.replace(/frame-src http:\/\/127\.0\.0\.1:\d+$/, ''), /unsafe|https?:|\*|frame-src/);
    assert.equal(headers['x-content-type-options'], 'nosniff');
    assert.equal(headers['cache-control'], 'no-store');
    assert.deepEqual(
      Object.keys(headers).filter((name) => name.startsWith('access-control')),
      [],
    );
    assert.ok(!text.includes(scene.token) && !JSON.stringify(headers).includes(scene.token));
  }
});

test('no route takes a command, or an address that is none of the web', { skip }, async () => {
  for (const url of [
    'file:///etc/passwd',
    'node server.js',
    'javascript:alert(1)',
    'data:text/html,x',
    'stdio:x',
    '',
  ]) {
    const response = await scene.post('add', { url });
    assert.equal(response.status, 400, url);
    await response.text();
  }
  for (const body of [
    { url: 'http://127.0.0.1:1/', command: 'touch x' },
    { url: 'http://127.0.0.1:1/', args: ['x'] },
  ]) {
    const response = await scene.post('add', body);
    assert.equal(response.status, 400);
    assert.match(await response.text(), /command|args/);
  }
});

test('a body that is none, too deep or too large is refused, and the process lives', { skip }, async () => {
  const { host } = new URL(scene.origin);
  const headers = { host, authorization: `Bearer ${scene.token}`, ...json };
  const send = (body: string): Promise<{ readonly status: number }> =>
    rawRequest(scene.origin, '/api/search', { method: 'POST', headers, body }).catch(() => ({ status: 413 }));
  assert.equal((await send('')).status, 400);
  assert.equal((await send('[]')).status, 400);
  assert.equal((await send(`{"text":${'['.repeat(100_000)}`)).status, 400);
  assert.equal((await send(`{"text":"${'x'.repeat(21 * 1024 ** 2)}"}`)).status, 413);
  assert.equal((await send('{"text":"x","__proto__":{"y":1}}')).status, 400);
  assert.equal((await send('{"text":"x"}')).status, 200);
});

test('the time that a code has is not that of a wall clock, which may be set', { skip }, async (t) => {
  let time = 1_000;
  const { opening, post } = await inspecting(t, [], { now: () => time });
  const [, code = ''] = opening().split('#once.');
  time += 600_000;
  assert.equal((await post('enter', {}, { authorization: `Bearer ${code}` })).status, 200);
});
