/** The checks before anything else: headers, hosts, origins, and what pages of other sites may do. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createGuard } from './guard.ts';
import type { HttpSettings } from './exchanges/options.ts';
import type { HttpReply, IncomingRequest } from './exchanges/universal.ts';

const requestWith = (headers: Record<string, string>, headerCount = 1): IncomingRequest =>
  ({ header: (name: string) => headers[name], headerCount }) as unknown as IncomingRequest;

function guardWith(options: Partial<HttpSettings> = {}) {
  const warnings: string[] = [];
  const settings = {
    maxHeaders: 2,
    allowedHosts: ['Own.example', 'other.example:8080'],
    allowedOrigins: ['https://page.example/'],
    allowedHeaders: ['x-own'],
    onWarning: (message: string) => void warnings.push(message),
    ...options,
  };
  const guard = createGuard(settings as unknown as HttpSettings);
  const statusOf = (headers: Record<string, string>, count?: number): unknown =>
    guard.refuse(requestWith(headers, count))?.status;
  return { guard, warnings, statusOf };
}

/** What a reply was given. */
function reply() {
  const headers: Record<string, string> = {};
  const sent: number[] = [];
  const made = {
    setHeader: (name: string, value: string) => void (headers[name] = value),
    send: (status: number) => void sent.push(status),
  };
  return { made: made as unknown as HttpReply, headers, sent };
}

test('a request needs a valid Host that is local or allowed, with its port if one is listed', () => {
  const { statusOf } = guardWith();
  for (const host of ['localhost', '127.0.0.1:80', '[::1]', 'own.example', 'OWN.example:1', 'other.example:8080'])
    assert.equal(statusOf({ host }), undefined, host);
  for (const host of ['other.example', 'evil.example', 'localhost.evil.example']) assert.equal(statusOf({ host }), 403);
  for (const host of ['', 'a b', 'own.example:x', '-a']) assert.equal(statusOf({ host }), 400, host);
  assert.equal(statusOf({}), 400);
  assert.equal(guardWith({ allowedHosts: 'any' }).statusOf({ host: 'evil.example' }), undefined);
});

test('a page may send a request if its Origin is local or allowed', () => {
  const { statusOf } = guardWith();
  const host = 'localhost';
  for (const origin of ['http://localhost:3000', 'https://PAGE.example', undefined])
    assert.equal(statusOf({ host, ...(origin && { origin }) }), undefined, origin);
  for (const origin of ['https://evil.example', 'http://page.example', 'null'])
    assert.equal(statusOf({ host, origin }), 403);
  const any = guardWith({ allowedOrigins: 'any' });
  assert.equal(any.statusOf({ host, origin: 'https://evil.example' }), undefined);
});

test('as many header fields as the limit are accepted, and one more is not', () => {
  const { statusOf } = guardWith();
  assert.deepEqual([statusOf({ host: 'localhost' }, 2), statusOf({ host: 'localhost' }, 3)], [undefined, 431]);
});

test('the owner is told of a refused name once, of ten names, and of none that could write into a terminal', () => {
  const { statusOf, warnings } = guardWith();
  for (let again = 0; again < 2; again++) statusOf({ host: 'evil.example' });
  statusOf({ host: 'localhost', origin: 'https://evil.example' });
  statusOf({ host: 'localhost', origin: 'a\u001bb' });
  statusOf({ host: '' });
  assert.equal(warnings.length, 2);
  assert.match(warnings[0] ?? '', /for the Host evil\.example was refused .*allowedHosts: \['evil\.example'\]/);
  assert.match(warnings[1] ?? '', /of the Origin https:\/\/evil\.example was .*allowedOrigins: /);
  for (let count = 0; count < 20; count++) statusOf({ host: `evil-${count}.example` });
  assert.equal(warnings.length, 10);
});

test('a preflight of a page names methods and headers, and one without Origin only the methods', () => {
  const { guard } = guardWith();
  const page = reply();
  const asked = 'Mcp-Param-A, x-secret, mcp-param-\u00e9';
  const preflight = { origin: 'https://page.example', 'access-control-request-headers': asked };
  guard.preflight(requestWith(preflight), page.made, ['POST', 'GET']);
  const { 'Access-Control-Allow-Headers': allowed, ...rest } = page.headers;
  assert.deepEqual(rest, {
    Allow: 'POST, GET',
    'Access-Control-Allow-Methods': 'POST, GET',
    'Access-Control-Max-Age': '600',
  });
  assert.match(allowed ?? '', /^Content-Type, .*Mcp-Name, x-own, mcp-param-a$/);
  const other = reply();
  guard.preflight(requestWith({}), other.made, ['POST']);
  assert.deepEqual([other.headers, other.sent, page.sent], [{ Allow: 'POST' }, [204], [204]]);
});

test('an answer to a page names its Origin, and one to another program has no such header', () => {
  const { guard } = guardWith();
  const page = reply();
  guard.allowOrigin(requestWith({ origin: 'https://page.example' }), page.made);
  const { 'Access-Control-Expose-Headers': exposed, ...rest } = page.headers;
  assert.deepEqual(rest, { 'Access-Control-Allow-Origin': 'https://page.example', Vary: 'Origin' });
  assert.match(exposed ?? '', /Mcp-Session-Id.*DPoP-Nonce/);
  const other = reply();
  guard.allowOrigin(requestWith({}), other.made);
  assert.deepEqual(other.headers, {});
});
