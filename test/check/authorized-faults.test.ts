/** Each planted mistake of a client that signs in is found in its row, and nothing is found in one that makes none. */

import assert from 'node:assert/strict';
import { describe, test, type TestContext } from 'node:test';
import { clientAuthorizationRules } from '../../packages/cli/src/check/client/authorization/judge-logs.ts';
import { sampled } from '../support/sampled.ts';
import { checkAuthorizedClient } from '../../packages/cli/src/check/client/authorization/check-authorized-client.ts';
import { machineRules } from '../../packages/cli/src/check/client/authorization/rules-machine.ts';
import { proofRules } from '../../packages/cli/src/check/client/authorization/rules-proofs.ts';
import type { CheckReport } from '../../packages/cli/src/check/report.ts';
import { document, type AuthorizationMistake } from './authorization-mistakes.ts';
import { RawAuthorizedClient } from './raw-authorized-client.ts';

/** The network of the small client, in which its document lies. */
function elsewhere(mistake: AuthorizationMistake | undefined): (url: string) => Promise<Response> {
  return async (url) => {
    assert.equal(url, document.url);
    const found = document.for(mistake);
    return found === undefined ? new Response('gone', { status: 404 }) : Response.json(found);
  };
}

async function judged(
  t: TestContext,
  date: string,
  mistake?: AuthorizationMistake,
  hasDocument = false,
): Promise<CheckReport> {
  let foreign: string | undefined;
  return await checkAuthorizedClient({
    port: 0,
    info: { name: 'parley-check', version: '1.0.0' },
    limitMs: 120_000,
    signal: t.signal,
    fetch: elsewhere(mistake),
    async drive({ tools }, url) {
      const client = new RawAuthorizedClient(url, date, mistake, mistake === 'foreign-token' ? foreign : undefined);
      client.hasDocument ||= hasDocument;
      // Where it has to refuse it throws.
      await client.run(tools).catch(() => undefined);
      foreign ??= client.token;
    },
  });
}

const first = '2025-03-26';
const middle = '2025-06-18';
const newest = '2026-07-28';

/** Rows that each mistake breaks, and the revision of the client that makes it. */
const mistakes: Readonly<Record<AuthorizationMistake, readonly [rows: string, date: string]>> = {
  'fixed-endpoints': ['auth-025 auth-028', newest],
  'ignores-challenge': ['auth-028', newest],
  'root-first': ['auth-030', newest],
  'path-only': ['auth-030', newest],
  'no-server-metadata': ['auth-032', middle],
  'oauth-metadata-only': ['auth-034', newest],
  'openid-first': ['auth-035 auth-036', newest],
  'believes-other-issuer': ['auth-037', newest],
  'believes-other-resource': ['auth-041', newest],
  'goes-on-without-pkce': ['auth-099', newest],
  'no-metadata-first': ['auth-012', first],
  'keeps-path': ['auth-013', first],
  'gives-up': ['auth-011', first],
  'silent-revision': ['auth-015', first],
  'no-pkce': ['auth-097', newest],
  'plain-pkce': ['auth-098', newest],
  'no-resource': ['auth-092', newest],
  'foreign-resource': ['auth-093', newest],
  'origin-as-resource': ['auth-094', newest],
  'slash-at-end': ['auth-096', newest],
  'no-state': ['auth-104', newest],
  'ignores-state': ['auth-104', newest],
  'made-up-id': ['auth-060 auth-081', newest],
  'url-id': ['auth-072', newest],
  'plain-url-id': ['auth-062 auth-072', newest],
  'no-application-type': ['auth-075', newest],
  'web-on-this-machine': ['auth-076', newest],
  'unregistered-redirect': ['auth-102', newest],
  'plain-redirect': ['auth-108', newest],
  'forgets-secret': ['auth-117', newest],
  'wrong-secret': ['auth-117', newest],
  'unlisted-refresh': ['auth-114', newest],
  'assumes-refresh': ['auth-115', newest],
  'ignores-challenged-scope': ['auth-044', newest],
  'ignores-supported-scopes': ['auth-048', newest],
  'no-step-up': ['auth-054', newest],
  'only-new-scope': ['auth-055', newest],
  'endless-step-up': ['auth-056', newest],
  'token-in-query': ['auth-120', newest],
  'token-in-own-header': ['auth-118', newest],
  'forgets-token': ['auth-119', newest],
  'foreign-token': ['auth-125', newest],
  'shows-refresh-token': ['auth-113', newest],
  'ignores-wrong-iss': ['auth-086', newest],
  'ignores-missing-iss': ['auth-087', newest],
  'ignores-unpromised-iss': ['auth-088 auth-090', newest],
  'normalizes-iss': ['auth-090', newest],
  'wants-iss': ['auth-089', newest],
  'reuses-client': ['auth-080', newest],
  'makes-up-second-id': ['auth-060 auth-081', newest],
  'by-hand-elsewhere': ['auth-082', newest],
  'wants-all-scopes': ['auth-047', newest],
  'compares-letters': ['auth-095', newest],
  'looks-up-again': ['auth-083', newest],
  'registers-beside-document': ['auth-059', newest],
  'no-document': ['auth-061', newest],
  'half-document': ['auth-063', newest],
  'borrowed-document': ['auth-064', newest],
  'redirects-beside-document': ['auth-102', newest],
  'goes-on-unregistered': ['auth-077', newest],
  'registers-for-ever': ['auth-077', newest],
};

describe('a client that signs in with one fault', { concurrency: 4 }, () => {
  const planted = Object.entries(mistakes) as [AuthorizationMistake, readonly [string, string]][];
  for (const [mistake, [rows, date]] of sampled(planted))
    test(`is found out: ${mistake} breaks ${rows}`, async (t) => {
      const { findings } = await judged(t, date, mistake);
      const found = [...new Set(findings.map(({ id }) => id))].toSorted().join(' ');
      assert.equal(found, rows, JSON.stringify(findings, undefined, 1));
    });
});

for (const date of [first, middle, '2025-11-25', newest])
  test(`nothing is found in a client at ${date} that signs in without a fault`, async (t) => {
    const { findings, missing } = await judged(t, date);
    assert.deepEqual([findings, missing], [[], undefined]);
  });

test('nothing is found in a client that signs in by its metadata document, and every row about that holds', async (t) => {
  const { findings, missing, rows } = await judged(t, newest, undefined, true);
  assert.deepEqual([findings, missing], [[], undefined]);
  const held = rows.filter(({ verdict }) => verdict === 'holds').map(({ id }) => id);
  for (const row of ['auth-059', 'auth-061', 'auth-062', 'auth-063', 'auth-064']) assert.ok(held.includes(row), row);
});

/** Judges clients that come to one scenario at the times that are given, in milliseconds, and looks at one row alone. */
async function comingTo(t: TestContext, name: string, row: string, times: readonly number[]): Promise<CheckReport> {
  return await checkAuthorizedClient({
    port: 0,
    info: { name: 'parley-check', version: '1.0.0' },
    limitMs: 60_000,
    signal: t.signal,
    only: [row],
    async drive({ name: own, tools }, url) {
      if (own !== name) return;
      const come = async (ms: number): Promise<void> => {
        await new Promise((resolve) => setTimeout(resolve, ms));
        await new RawAuthorizedClient(url, newest).run(tools).catch(() => undefined);
      };
      await Promise.all(times.map(come));
    },
  });
}

test('nothing is found in a client that refuses the answer of another issuer, and signs in there by a page of its own', async (t) => {
  const { findings, rows } = await comingTo(t, 'mixed-up', 'auth-083', [0, 1_000]);
  assert.deepEqual(findings, []);
  assert.deepEqual(
    rows.map(({ id, verdict }) => [id, verdict]),
    [['auth-083', 'holds']],
  );
});

for (const [how, step] of [
  ['one after the other', 400],
  ['at once', 0],
] as const)
  test(`nothing is found in a client that cannot be registered, and connects five times ${how}`, async (t) => {
    const times = Array.from({ length: 5 }, (_, at) => at * step);
    const { findings, rows } = await comingTo(t, 'unregistered', 'auth-077', times);
    assert.deepEqual(findings, []);
    assert.equal(rows[0]?.verdict, 'holds');
  });

test('who takes a scheme in capitals for another resource is told why the texts differ, and misses nothing', async (t) => {
  const { findings, missing } = await judged(t, newest, 'compares-letters');
  assert.deepEqual(
    findings.map(({ id, severity }) => [id, severity]),
    [['auth-095', 'note']],
  );
  assert.equal(missing, undefined);
});

/** Rows that are found where something is at the URL of a metadata document. */
async function foundAt(t: TestContext, body: string, status: number, type: string): Promise<readonly string[]> {
  const { findings } = await checkAuthorizedClient({
    port: 0,
    info: { name: 'parley-check', version: '1.0.0' },
    limitMs: 60_000,
    signal: t.signal,
    only: ['auth-061'],
    fetch: () => Promise.resolve(new Response(body, { status, headers: { 'content-type': type } })),
    async drive({ name, tools }, url) {
      const client = new RawAuthorizedClient(url, newest);
      client.hasDocument = true;
      if (name === 'document') await client.run(tools).catch(() => undefined);
    },
  });
  return findings.map(({ id }) => id);
}

test('a page of the network before a metadata document says nothing of it, and what is there and none does', async (t) => {
  const page = '<html>Sign in to this network.</html>';
  assert.deepEqual(await foundAt(t, page, 200, 'text/html; charset=utf-8'), []);
  assert.deepEqual(await foundAt(t, page, 404, 'text/html'), ['auth-061']);
  assert.deepEqual(await foundAt(t, '', 410, 'text/plain'), ['auth-061']);
  assert.deepEqual(await foundAt(t, '{"client_id":', 200, 'application/json'), ['auth-061']);
});

test('a run that is stopped waits for no metadata document', async (t) => {
  const stop = new AbortController();
  const began = performance.now();
  await checkAuthorizedClient({
    port: 0,
    info: { name: 'parley-check', version: '1.0.0' },
    limitMs: 60_000,
    signal: stop.signal,
    fetch: (_, { signal }) =>
      new Promise((__, reject) => {
        t.signal.addEventListener('abort', () => reject(new Error('the test is over')));
        signal.addEventListener('abort', () => reject(new Error('it was stopped')));
        stop.abort();
      }),
    async drive({ name, tools }, url) {
      const client = new RawAuthorizedClient(url, newest);
      client.hasDocument = true;
      if (name === 'document') await client.run(tools).catch(() => undefined);
    },
  });
  const took = performance.now() - began;
  assert.ok(took < 5_000, `it took ${took} ms`);
});

test('every row about authorization has a fault that breaks it, but for those that say the same as another', () => {
  // Those are broken in machine-clients.test.ts.
  const inMachines = new Set([...machineRules, ...proofRules]);
  const broken = new Set(Object.values(mistakes).flatMap(([rows]) => rows.split(' ')));
  // PKCE in the first revision is judged by the rule that is broken here in the newest.
  const others = clientAuthorizationRules
    .filter((rule) => rule.as === undefined && !broken.has(rule.id) && !inMachines.has(rule))
    .map(({ id }) => id);
  assert.deepEqual(others, ['auth-017']);
});
