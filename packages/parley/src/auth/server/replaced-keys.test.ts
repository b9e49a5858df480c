/** Signing keys that an issuer replaces, and issuers that are spelled with another slash at the end. */

import type { Fetch } from '../../jsonrpc/fetch.ts';
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { entries } from '../../../../../test/support/http-entries.ts';
import { testIssuer } from '../../testing/issuer.ts';
import { bearer, call, clock, open, reasonOf, resource } from '../../../../../test/support/guarded-entrance.ts';
import { tampered } from '../../../../../test/support/tampered.ts';

const entry = entries['createHttpHandler'] ?? assert.fail();
const who = (token: string): ReturnType<typeof call> => call('tools/call', { name: 'who' }, bearer(token));

test('a key that is replaced under the same name is looked for once in half a minute', async (t) => {
  const time = clock();
  const issuer = testIssuer({ audience: resource, now: time.now });
  const renamed: Fetch = async (url, request) => {
    const answer = await issuer.fetch(url, request);
    if (!url.endsWith('/jwks')) return answer;
    const body = await new Response(answer.body as BodyInit).text();
    return new Response(body.replaceAll(/test-\d/g, 'test-1'), { headers: { 'content-type': 'application/json' } });
  };
  const protection = { now: time.now, issuers: issuer.options.issuers, fetch: renamed };
  const { send } = await open(t, entry, { protect: protection });
  const token = (): Promise<string> => issuer.issue({ header: { kid: 'test-1' } });
  assert.equal((await send(who(await token()))).status, 200);
  issuer.rotate();
  assert.match(reasonOf(await send(who(await token()))) ?? '', /signature/);
  time.pass(30_000);
  assert.equal((await send(who(await token()))).status, 200);
  const asked = issuer.asked.get('/jwks');
  const good = await token();
  for (let turn = 0; turn < 5; turn++) assert.equal((await send(who(tampered(good)))).status, 401);
  assert.equal(issuer.asked.get('/jwks'), asked);
  issuer.outage(true);
  time.pass(30_000);
  assert.equal((await send(who(tampered(good)))).status, 401);
});

test('an issuer that differs by a slash at its end is refused, and the operator is told the setting', async (t) => {
  const issuer = 'https://issuer.test/realms/x';
  const heard: string[] = [];
  const onError = (error: unknown): void => void heard.push(error instanceof Error ? error.message : '');
  const wishes = { issuer: { issuer }, protect: { onError } };
  const opened = await open(t, entry, wishes);
  const other = { claims: { iss: `${issuer}/` } };
  for (let turn = 0; turn < 2; turn++)
    assert.match(reasonOf(await opened.send(who(await opened.issuer.issue(other)))) ?? '', /was not issued by/);
  assert.deepEqual(heard, [
    `tokens name the issuer ${issuer}/, which differs from ${issuer} by the slash at its end alone; if both are one server, add ${issuer}/ to its issuerAliases`,
  ]);
  const allowing = { issuers: [{ issuer, issuerAliases: [`${issuer}/`] }] };
  const allowed = await open(t, entry, { ...wishes, protect: allowing });
  assert.equal((await allowed.send(who(await allowed.issuer.issue(other)))).status, 200);
});

test('metadata that name the issuer with another slash are refused with the setting that allows it', async (t) => {
  const issuer = 'https://issuer.test/realms/x';
  const heard: string[] = [];
  const named = testIssuer({ audience: resource, issuer: `${issuer}/` });
  const { fetch } = named;
  const onError = (error: unknown): void => void heard.push(error instanceof Error ? error.message : '');
  const refusing = await open(t, entry, { protect: { issuers: [issuer], fetch, onError } });
  await refusing.send(who(await named.issue({ claims: { iss: issuer } })));
  assert.match(heard[0] ?? '', /names the issuer \S+x\/, which differs .* add \S+x\/ to its issuerAliases$/);
  const allowing = { issuers: [{ issuer, issuerAliases: [`${issuer}/`] }], fetch };
  const allowed = await open(t, entry, { protect: allowing });
  assert.equal((await allowed.send(who(await named.issue()))).status, 200);
});
