/** Servers that want a token: the planted faults are found, and nothing is found in those that have none. */

import assert from 'node:assert/strict';
import { describe, test, type TestContext } from 'node:test';
import type { UserCredentials } from '../../packages/cli/src/check/harness/senders.ts';
import type { CheckReport } from '../../packages/cli/src/check/report.ts';
import { inThisProcess } from '../support/cli-process.ts';
import { protect } from '../../packages/parley/src/protect.ts';
import { testIssuer, type TestIssuer } from '../../packages/parley/src/testing.ts';
import { chosenRevisions } from '../../packages/parley/src/protocol/revision.ts';
import { createServer } from '../../packages/parley/src/server.ts';
import { faulty, json, serveFaulty, type Fault, type Passing, type Returning } from './faulty.ts';
import { judgedAt } from './judging.ts';

interface Guarded {
  readonly url: string;
  readonly issuer: TestIssuer;
  readonly tokens: Readonly<Record<'own' | 'another' | 'foreign', string>>;
}

async function guarded(t: TestContext, fault: Fault, scopes: readonly string[] = ['read']): Promise<Guarded> {
  const issuer = testIssuer();
  const url = await faulty(t, fault, (server, resource) => protect(server, { ...issuer.options, resource, scopes }));
  const issue = (subject: string, audience = url): Promise<string> => issuer.issue({ subject, audience, scopes });
  const tokens = {
    own: await issue('ann'),
    another: await issue('bob'),
    foreign: await issue('ann', 'https://other.example/mcp'),
  };
  return { url, issuer, tokens };
}

async function judged(
  t: TestContext,
  url: string,
  credentials: UserCredentials,
  only: readonly string[] = [],
): Promise<CheckReport> {
  return await judgedAt(t, url, { credentials, only });
}

function all({ own, another, foreign }: Guarded['tokens']): UserCredentials {
  return { headers: { Authorization: `Bearer ${own}` }, another, foreign };
}

function held({ rows }: CheckReport): readonly string[] {
  return [...new Set(rows.filter(({ verdict }) => verdict === 'holds').map(({ id }) => id))];
}

const ofGuards = [
  'auth-018',
  'auth-128',
  'auth-124',
  'auth-121',
  'auth-024',
  'auth-027',
  'auth-042',
  'auth-096',
  'auth-109',
  'auth-116',
  'auth-046',
];

test('nothing is found in a guarded server with a token, and no token is told', async (t) => {
  const { url, tokens } = await guarded(t, {});
  const report = await judged(t, url, all(tokens));
  assert.deepEqual(report.findings, []);
  assert.ok(report.revisions.every(({ spoken }) => spoken));
  const missing = [
    ...ofGuards,
    'auth-026',
    'auth-122',
    'auth-123',
    'security-008',
    'security-014',
    'security-015',
    'security-018',
    'security-019',
  ];
  assert.deepEqual(
    missing.filter((row) => !held(report).includes(row)),
    [],
  );
  assert.ok(held(report).length > 60, 'the other rules are judged too');
});

test('of a guarded server without a token is judged what nobody needs one for', async (t) => {
  const { url } = await guarded(t, {});
  const report = await judged(t, url, {});
  assert.deepEqual(report.findings, []);
  assert.ok(report.revisions.every(({ spoken, isClosed }) => !spoken && isClosed === true));
  assert.deepEqual(held(report).toSorted(), ofGuards.toSorted());
});

test('a server without a guard is no subject of these rules', async (t) => {
  const report = await judged(t, await faulty(t, {}), { headers: { Authorization: 'Bearer anything' } }, ['auth']);
  assert.deepEqual([...new Set(report.rows.map(({ verdict }) => verdict))], ['not-applicable']);
});

test('a guarded server that is of 2025-03-26 alone, or may be, is not blamed for metadata that it need not have', async (t) => {
  const gone: Fault = {
    request: ({ path }) => (path.startsWith('/.well-known/') ? json(404, {}) : undefined),
    response: ({ headers, status }) => void (status === 401 && (headers['www-authenticate'] = 'Bearer')),
  };
  const { url } = await guarded(t, gone);
  const { findings, rows } = await judged(t, url, {}, ['auth']);
  assert.deepEqual(findings, []);
  assert.ok(rows.some(({ id, why }) => id === 'auth-027' && /2025-03-26 alone/.test(why ?? '')));
});

/** Serves with the token of somebody who has one. */
function lent(when: (passing: Passing) => boolean): (token: () => string) => Fault {
  return (token) => ({
    request: (passing) => void (when(passing) && (passing.headers['authorization'] = `Bearer ${token()}`)),
  });
}

const isOf = (passing: Passing, pattern: RegExp): boolean => pattern.test(passing.headers['authorization'] ?? '');
const isBare = (passing: Passing): boolean => passing.headers['authorization'] === undefined;
const isOpening = ({ message: { method } }: Passing): boolean =>
  method === 'initialize' || method === 'server/discover';

function metadata(change: (document: Record<string, unknown>) => void): Fault {
  return {
    response(returning, { path }) {
      if (!path.startsWith('/.well-known/')) return;
      const document = JSON.parse(returning.text) as Record<string, unknown>;
      change(document);
      returning.text = JSON.stringify(document);
    },
  };
}

function challenged(change: (challenge: string) => string, status = 401): Fault {
  return {
    response({ headers, status: came }) {
      if (came === status) headers['www-authenticate'] = change(headers['www-authenticate'] ?? '');
    },
  };
}

type Tokens = Guarded['tokens'];

const faults: Readonly<Record<string, readonly [row: string, fault: (tokens: () => Tokens) => Fault]>> = {
  'bare-is-403': [
    'auth-128',
    () => ({
      response: (returning, passing) => void (isBare(passing) && returning.status === 401 && (returning.status = 403)),
    }),
  ],
  'bare-is-400-in-2025-03-26': [
    'auth-018',
    () => ({
      response: (returning, passing) => void (isBare(passing) && returning.status === 401 && (returning.status = 400)),
    }),
  ],
  'garbage-is-403': [
    'auth-124',
    () => ({
      response: (returning, passing) =>
        void (isOf(passing, /parley-check/) && returning.status === 401 && (returning.status = 403)),
    }),
  ],
  'any-token': ['auth-121', (tokens) => lent((passing) => isOf(passing, /parley-check/))(() => tokens().own)],
  'alg-none': ['auth-121', (tokens) => lent((passing) => isOf(passing, /\.$/))(() => tokens().own)],
  'signature-unchecked': ['auth-121', (tokens) => lent((passing) => isOf(passing, /[AB]{12}$/))(() => tokens().own)],
  'any-audience': [
    'auth-123',
    (tokens) => lent((passing) => isOf(passing, new RegExp(`${tokens().foreign.slice(-20)}$`)))(() => tokens().own),
  ],
  'any-audience-at-all': [
    'auth-122',
    (tokens) => lent((passing) => isOf(passing, new RegExp(`${tokens().foreign.slice(-20)}$`)))(() => tokens().own),
  ],
  'token-of-others': [
    'security-008',
    (tokens) => lent((passing) => isOf(passing, new RegExp(`${tokens().foreign.slice(-20)}$`)))(() => tokens().own),
  ],
  'slash-at-end': [
    'auth-096',
    () => metadata((document) => (document['resource'] = `${String(document['resource'])}/`)),
  ],
  'no-challenge': ['auth-026', () => ({ response: ({ headers }) => void delete headers['www-authenticate'] })],
  'no-metadata-url': ['auth-026', () => challenged((text) => text.replace(/,? ?resource_metadata="[^"]*"/, ''))],
  'no-metadata': [
    'auth-027',
    () => ({ request: ({ path }) => (path.startsWith('/.well-known/') ? json(404, {}) : undefined) }),
  ],
  'no-issuers': ['auth-024', () => metadata((document) => delete document['authorization_servers'])],
  'empty-issuers': ['auth-024', () => metadata((document) => (document['authorization_servers'] = []))],
  'no-resource': ['auth-024', () => metadata((document) => delete document['resource'])],
  'plain-issuer': ['auth-109', () => metadata((of) => (of['authorization_servers'] = ['http://a.example']))],
  'no-scope': ['auth-042', () => challenged((text) => text.replace(/,? ?scope="[^"]*"/, ''))],
  'offline-challenged': ['auth-116', () => challenged((text) => text.replace('scope="', 'scope="offline_access '))],
  'offline-supported': [
    'auth-116',
    () => metadata((document) => (document['scopes_supported'] = ['read', 'offline_access'])),
  ],
  'first-request-only': [
    'security-019',
    (tokens) =>
      lent((passing) => isBare(passing) && !isOpening(passing) && passing.method === 'POST')(() => tokens().own),
  ],
  'delete-unverified': [
    'security-014',
    (tokens) => lent((passing) => isBare(passing) && passing.method === 'DELETE')(() => tokens().own),
  ],
  'session-is-enough': [
    'security-015',
    (tokens) =>
      lent((passing) => isBare(passing) && passing.headers['mcp-session-id'] !== undefined)(() => tokens().own),
  ],
  'session-of-anybody': [
    'security-018',
    (tokens) =>
      lent(
        (passing) =>
          isOf(passing, new RegExp(`${tokens().another.slice(-20)}$`)) &&
          passing.headers['mcp-session-id'] !== undefined,
      )(() => tokens().own),
  ],
};

const issuerPath = '/.well-known/oauth-authorization-server';

/** What a server of 2025-03-26 alone shows at other paths than its own. */
function pages(there: Readonly<Record<string, number>>, more: Readonly<Record<string, string>> = {}): Fault {
  return {
    request({ path, method }) {
      if (path === '/mcp') return undefined;
      const status = there[`${method} ${path}`] ?? 404;
      return status === 200 ? json(200, { issuer: 'http://127.0.0.1', ...more }) : json(status, {});
    },
  };
}

/** A server of the oldest revision with a guard, whose resource names another authorization server. */
const resourceAtRoot: Fault = {
  request(passing) {
    if (passing.path === '/.well-known/oauth-protected-resource')
      return json(200, { resource: 'http://127.0.0.1', authorization_servers: ['http://127.0.0.1'] });
    return pages({ 'GET /token': 405 }).request?.(passing);
  },
  response: ({ headers }) => void delete headers['www-authenticate'],
};

const both = { 'GET /authorize': 400, 'GET /token': 405 };
const oldest: Readonly<Record<string, readonly [found: readonly string[], fault: Fault]>> = {
  'metadata at the base': [
    [],
    pages({ [`GET ${issuerPath}`]: 200 }, { registration_endpoint: 'http://127.0.0.1/register' }),
  ],
  'metadata without registration': [['auth-007'], pages({ [`GET ${issuerPath}`]: 200 })],
  'fixed endpoints alone': [['auth-008'], pages(both)],
  'metadata at the path of the server': [['auth-014'], pages({ [`GET ${issuerPath}/mcp`]: 200 })],
  'metadata behind the path of the server': [['auth-014'], pages({ [`GET /mcp${issuerPath}`]: 200 })],
  'a token endpoint alone': [['auth-008', 'auth-010'], pages({ 'GET /token': 405 })],
  // A path that takes POST alone may answer GET with 404.
  'an authorization endpoint alone': [['auth-008'], pages({ 'GET /authorize': 302 })],
  // Authorization is optional.
  'keys of its own': [[], pages({})],
  'one page for all paths': [[], { request: ({ path }) => (path === '/mcp' ? undefined : json(401, {})) }],
  'metadata of the resource at its root': [[], resourceAtRoot],
};

for (const [what, [found, fault]] of Object.entries(oldest))
  test(`a guarded server of 2025-03-26 alone with ${what} breaks ${found.join(' and ') || 'nothing'}`, async (t) => {
    const issuer = testIssuer();
    const made = await serveFaulty(fault, (resource) =>
      protect(createServer({ name: 'old', version: '1.0.0' }, { revisions: ['2025-03-26'] }), {
        ...issuer.options,
        resource,
        scopes: [],
      }),
    );
    t.after(() => made.close());
    const token = await issuer.issue({ subject: 'ann', audience: made.url, scopes: [] });
    const { findings, rows } = await judgedAt(t, made.url, {
      credentials: { headers: { Authorization: `Bearer ${token}` } },
      only: ['auth-007', 'auth-008', 'auth-010', 'auth-014'],
    });
    assert.deepEqual(findings.map(({ id }) => id).toSorted(), found, JSON.stringify(rows));
    assert.ok(rows.some(({ verdict }) => verdict !== 'not-judged'));
  });

/** A guarded server whose tool `sum` wants a scope that the token lacks. */
async function judgedScopes(t: TestContext, fault: Fault, only: readonly string[]): Promise<CheckReport> {
  const { url, tokens } = await guarded(t, scoped(fault));
  return await judgedAt(t, url, {
    credentials: all(tokens),
    only,
    revisions: chosenRevisions(['2025-11-25', '2026-07-28']),
    calls: [{ name: 'sum' }, { name: 'add' }],
  });
}

/** Refuses calls of `sum` as one that wants the scope `write`, before a fault alters that. */
function scoped(fault: Fault): Fault {
  return {
    request({ message: { method, params }, headers }) {
      const isSum = method === 'tools/call' && JSON.stringify(params).includes('"sum"');
      if (!isSum || headers['authorization'] === undefined) return undefined;
      const place = `http://${headers['host']}/.well-known/oauth-protected-resource/mcp`;
      const refusal: Returning = {
        status: 403,
        headers: {
          'www-authenticate': `Bearer error="insufficient_scope", scope="write", resource_metadata="${place}"`,
        },
        text: '',
      };
      void fault.response?.(refusal, { method: 'POST', path: '/mcp', headers, message: {}, body: '' });
      return refusal;
    },
    response: (returning, passing) => fault.response?.(returning, passing),
  };
}

let challenges = 0;
const scopeFaults: Readonly<Record<string, readonly [row: string, fault: Fault]>> = {
  'another-scope-each-time': [
    'auth-046',
    challenged((text) => text.replace(/scope="[^"]*"/, `scope="read-${++challenges}"`)),
  ],
  'no-scope-of-a-call': ['auth-049', challenged((text) => text.replace('scope="write", ', ''), 403)],
  'no-place-of-metadata-of-a-call': ['auth-049', challenged((text) => text.replace(/, resource_metadata=.*/, ''), 403)],
  'scope-that-is-there': ['auth-050', challenged((text) => text.replace('write', 'read'), 403)],
};

for (const [name, [row, fault]] of Object.entries(scopeFaults))
  test(`${name} breaks ${row}, and nothing does without it`, async (t) => {
    const { findings } = await judgedScopes(t, fault, [row]);
    assert.deepEqual(
      findings.map(({ id }) => id),
      [row],
    );
    const clean = await judgedScopes(t, {}, [row]);
    assert.deepEqual(clean.findings, []);
    assert.deepEqual(held(clean), [row]);
  });

describe('a guarded server with one fault', { concurrency: 4 }, () => {
  for (const [name, [row, fault]] of Object.entries(faults))
    test(`is found out: ${name} breaks ${row}`, async (t) => {
      const made: Guarded = await guarded(
        t,
        fault(() => made.tokens),
      );
      const { findings, rows } = await judged(t, made.url, all(made.tokens), [row]);
      assert.deepEqual(
        findings.map(({ id }) => id),
        [row],
        JSON.stringify(rows),
      );
      assert.ok(!Object.values(made.tokens).some((token) => JSON.stringify(findings).includes(token.slice(0, -12))));
    });
});

const commandOnly = ['--only', 'auth', '--revision', '2025-11-25'];

test('the command takes tokens from variables, and prints none of them', async (t) => {
  const { url, tokens } = await guarded(t, faults['any-audience']?.[1](() => tokens) ?? {});
  const env = { A: tokens.own, B: tokens.another, F: tokens.foreign };
  const given = ['--token-env', 'A', '--other-token-env', 'B', '--foreign-token-env', 'F'];
  const { code, stdout, stderr } = await inThisProcess(['check', url, ...given, ...commandOnly, '--json'], env);
  assert.deepEqual([code, stderr], [1, '']);
  const report = JSON.parse(stdout) as CheckReport;
  assert.deepEqual(
    report.findings.map(({ id }) => id),
    ['auth-122', 'auth-123'],
  );
  for (const token of Object.values(tokens)) assert.ok(!stdout.includes(token.slice(0, 40)));
});

test('the command says how to give a token where the server wants one', async (t) => {
  const { url } = await guarded(t, {});
  const { code, stdout } = await inThisProcess(['check', url, ...commandOnly]);
  assert.equal(code, 3);
  assert.match(stdout, /not 2025-11-25: it wants a token.*\n {2}--token-env <name> takes a token from a variable/);
});

for (const [what, argv, words] of [
  [
    'of a variable without a token',
    ['check', 'http://127.0.0.1:1/', '--other-token-env', 'NONE'],
    /the variable NONE of --other-token-env holds no token/,
  ],
  ['for a command', ['check', '--token-env', 'A', '--', 'node'], /--token-env is for a server at a URL/],
  [
    'for a client',
    ['check', '--client', '--foreign-token-env', 'A'],
    /--foreign-token-env is for the check of a server/,
  ],
] as const)
  test(`the command refuses a token ${what}`, async () => {
    const { code, stderr } = await inThisProcess(argv, { A: 'a' });
    assert.equal(code, 2);
    assert.match(stderr, words);
  });
