/** Rows that need somebody who asks by another name, waits for minutes, or has a token: each fault is found in its row, and nothing without one. */

import assert from 'node:assert/strict';
import { describe, test, type TestContext } from 'node:test';
import { isObject } from '../../packages/parley/src/jsonrpc/message.ts';
import { metaKey } from '../../packages/parley/src/protocol/meta.ts';
import { chosenRevisions } from '../../packages/parley/src/protocol/revision.ts';
import { createServer } from '../../packages/parley/src/server.ts';
import { metaOf } from './faults.ts';
import { asStream, cleanServer, json, result, serveFaulty, type Fault } from './faulty.ts';
import { judgedAt, type ServerJudging } from './judging.ts';

const token = 'a-token-of-the-user-0123456789';
const withToken = { credentials: { headers: { Authorization: `Bearer ${token}` } } };

interface Case extends ServerJudging {
  readonly fault?: Fault;
  readonly made?: typeof cleanServer;
  readonly path?: string;
}

/** Judges one row. @returns The reasons of findings, and the verdicts on the row. */
async function told(t: TestContext, row: string, { fault = {}, made = cleanServer, path, ...judging }: Case) {
  const { url, close } = await serveFaulty(fault, made);
  t.after(close);
  const report = await judgedAt(t, path === undefined ? url : new URL(path, url), { only: [row], ...judging });
  const verdicts = new Set(report.rows.filter(({ id }) => id === row).map(({ verdict }) => verdict));
  return { report, found: report.findings.map(({ id, severity }) => `${id} ${severity}`), verdicts };
}

/** Lists no tools to whoever has a name. */
function shunning(isShunned: (name: string, time: number) => boolean): Fault {
  let time = 0;
  return result('tools/list', (of, { message }) => {
    const client = metaOf(message)?.[metaKey.clientInfo];
    if (isObject(client) && isShunned(String(client['name']), time++)) of['tools'] = [];
  });
}

describe('names of clients', () => {
  test('a list that is another for one of them breaks meta-017', async (t) => {
    const { found } = await told(t, 'meta-017', { fault: shunning((name) => name === 'cursor-vscode') });
    assert.deepEqual(found, ['meta-017 warning']);
  });

  test('a list that is the same, or another each time, is none', async (t) => {
    const clean = await told(t, 'meta-017', {});
    assert.deepEqual([clean.found, clean.verdicts.has('holds')], [[], true]);
    const restless = await told(t, 'meta-017', { fault: shunning((_, time) => time % 3 === 1) });
    assert.deepEqual([restless.found, restless.verdicts.has('not-judged')], [[], true]);
  });

  test('one that depends on which of several servers takes its turn is none', async (t) => {
    for (const servers of [2, 3])
      for (const turn of Array.from({ length: servers }).keys()) {
        const fault = shunning((_, time) => time % servers === turn);
        const { found, verdicts } = await told(t, 'meta-017', { fault });
        assert.deepEqual([found, verdicts.has('not-judged')], [[], true], `${turn} of ${servers}`);
      }
  });
});

describe('revisions that are named', () => {
  const made = () => createServer({ name: 'few', version: '1.0.0' }, { revisions: ['2025-11-25', '2026-07-28'] });
  const naming = result('server/discover', (of) => {
    of['supportedVersions'] = ['2026-07-28', '2025-11-25', '2025-03-26'];
  });

  test('one that is not echoed breaks lifecycle-012, however few are judged', async (t) => {
    const { found, report } = await told(t, 'lifecycle-012', { fault: naming, made });
    assert.deepEqual(found, ['lifecycle-012 error']);
    assert.match(report.findings[0]?.why ?? '', /names 2025-03-26, and initialize offers 2025-11-25/);
  });

  test('those that are spoken, and what is refused, are no fault', async (t) => {
    const all = await told(t, 'lifecycle-012', {});
    assert.deepEqual([all.found, all.verdicts.has('breaks')], [[], false]);
    const { initialize, ...refusing } = { ...naming, initialize: undefined };
    const refused = await told(t, 'lifecycle-012', {
      made,
      fault: {
        ...refusing,
        request: ({ message: { method, id, params } }) =>
          method === 'initialize' && isObject(params) && params['protocolVersion'] === '2025-03-26'
            ? json(200, { jsonrpc: '2.0', id, error: { code: -32_602, message: 'no' } })
            : initialize,
      },
    });
    assert.deepEqual([refused.found, refused.verdicts.has('not-judged')], [[], true]);
  });
});

describe('revisions that another server behind the address names', () => {
  const made = () => createServer({ name: 'few', version: '1.0.0' }, { revisions: ['2025-11-25', '2026-07-28'] });
  const naming = (...supported: readonly string[]): Fault =>
    result('server/discover', (of) => {
      of['supportedVersions'] = ['2026-07-28', ...supported];
    });

  test('that of HTTP+SSE, which has an address of its own, breaks nothing', async (t) => {
    const { found, verdicts } = await told(t, 'lifecycle-012', { made, fault: naming('2025-11-25', '2024-11-05') });
    assert.deepEqual([found, verdicts.has('holds')], [[], true]);
  });

  test('one that is echoed now and then, or to who names it in a header, is not judged', async (t) => {
    for (const isEchoed of [(time: number) => time === 3, (_: number, version?: string) => version === '2025-03-26']) {
      let time = 0;
      const fault: Fault = {
        ...naming('2025-11-25', '2025-03-26'),
        request({ message: { method, id, params }, headers }) {
          if (method !== 'initialize' || !isObject(params) || params['protocolVersion'] !== '2025-03-26')
            return undefined;
          const header = headers['mcp-protocol-version'];
          if (!isEchoed(++time, header)) return undefined;
          const serverInfo = { name: 'other', version: '1.0.0' };
          const echo = { protocolVersion: '2025-03-26', capabilities: {}, serverInfo };
          return json(200, { jsonrpc: '2.0', id, result: echo });
        },
      };
      const { found, verdicts } = await told(t, 'lifecycle-012', { made, fault });
      assert.deepEqual([found, verdicts.has('not-judged')], [[], true], String(isEchoed));
    }
  });

  test('one that is named now and then, or without what initialize offers, is not judged', async (t) => {
    let time = 0;
    const turning = result('server/discover', (of) => {
      of['supportedVersions'] = ['2026-07-28', '2025-11-25', ...(time++ < 3 ? ['2025-03-26'] : [])];
    });
    for (const fault of [turning, naming('2025-03-26')]) {
      const { found, verdicts } = await told(t, 'lifecycle-012', { made, fault });
      assert.deepEqual([found, verdicts.has('not-judged')], [[], true]);
    }
  });
});

/** Logs something for each request that asks for logs. */
function logging(data: (authorization: string) => unknown): Fault {
  return {
    response(returning, { message, headers }) {
      if (metaOf(message)?.[metaKey.logLevel] === undefined || returning.status !== 200) return;
      asStream(returning);
      const params = { level: 'error', data: data(headers['authorization'] ?? '') };
      const log = JSON.stringify({ jsonrpc: '2.0', method: 'notifications/message', params });
      returning.text = `data: ${log}\n\n${returning.text}`;
    },
  };
}

describe('log messages', () => {
  const newest = { ...withToken, revisions: chosenRevisions(['2026-07-28']) };
  const made = () => {
    const server = createServer({ name: 'logs', version: '1.0.0' }, { logging: true });
    server.tool('add', {}, (_, ctx) => {
      ctx.log('error', 'added');
      return 'done';
    });
    return server;
  };

  test('one with the token of the request breaks logging-011', async (t) => {
    const fault = logging((authorization) => ({ headers: { authorization } }));
    const { found } = await told(t, 'logging-011', { ...newest, made, fault });
    assert.deepEqual(found, ['logging-011 error']);
  });

  test('one without, or a token that nobody sent, is none', async (t) => {
    const clean = await told(t, 'logging-011', { ...newest, made, fault: logging(() => ({ headers: 'some' })) });
    assert.deepEqual([clean.found, clean.verdicts.has('holds')], [[], true]);
    const { credentials: _, ...anonymous } = newest;
    const without = await told(t, 'logging-011', { ...anonymous, made, fault: logging(() => token) });
    assert.deepEqual([without.found, without.verdicts.has('not-applicable')], [[], true]);
  });
});

/** A server with a guard, and an authorization server at its origin. */
function guarded(metadata: Readonly<Record<string, unknown>>, issuer?: string): Fault {
  return {
    request({ path, headers }) {
      const origin = `http://${headers['host']}`;
      if (path.startsWith('/.well-known/oauth-protected-resource'))
        return json(200, { resource: `${origin}/mcp`, authorization_servers: [issuer ?? origin] });
      if (path === '/.well-known/oauth-authorization-server') return json(200, { issuer: origin, ...metadata });
      if (headers['authorization'] !== undefined) return undefined;
      return { status: 401, headers: { 'www-authenticate': 'Bearer scope="a"' }, text: '' };
    },
  };
}

describe('an authorization server at the origin of the server', () => {
  const old = () => createServer({ name: 'old', version: '1.0.0' }, { revisions: ['2025-06-18'] });

  for (const [row, made, key, value] of [
    ['auth-074', old, 'registration_endpoint', 'http://127.0.0.1/register'],
    ['auth-058', cleanServer, 'client_id_metadata_document_supported', true],
  ] as const) {
    test(`whose metadata lack ${key} breaks ${row}`, async (t) => {
      const { found } = await told(t, row, { ...withToken, made, fault: guarded({}) });
      assert.deepEqual(found, [`${row} warning`]);
    });

    test(`is right with it, and not looked at elsewhere, or without a token: ${row}`, async (t) => {
      const right = await told(t, row, { ...withToken, made, fault: guarded({ [key]: value }) });
      assert.deepEqual([right.found, right.verdicts.has('holds')], [[], true]);
      for (const other of [{ ...withToken, fault: guarded({}, 'https://login.example.com') }, { fault: guarded({}) }]) {
        const { found, verdicts } = await told(t, row, { ...other, made });
        assert.deepEqual([found, verdicts.has('holds')], [[], false]);
      }
    });
  }

  test('of a server that speaks newer revisions needs no registration', async (t) => {
    const { found } = await told(t, 'auth-074', { ...withToken, fault: guarded({}) });
    assert.deepEqual(found, []);
  });
});

describe('endpoints of HTTP+SSE', () => {
  /** Names sessions by numbers. */
  const counting = (): Fault => {
    const named: string[] = [];
    return {
      request(passing) {
        const at = /sessionId=(\d+)$/.exec(passing.path)?.[1];
        // The path of a request is altered here alone.
        if (at !== undefined) Object.assign(passing, { path: `/messages?sessionId=${named[Number(at)]}` });
      },
      piece: (text) => text.replace(/sessionId=(\S+)/, (_, id: string) => `sessionId=${named.push(id) - 1}`),
    };
  };

  test('that count break security-017, and random ones do not', async (t) => {
    const clean = await told(t, 'security-017', { path: '/sse' });
    assert.deepEqual([clean.found, clean.verdicts.has('holds')], [[], true]);
    const { found } = await told(t, 'security-017', { path: '/sse', fault: counting() });
    assert.deepEqual(found, ['security-017 warning']);
  });
});

describe('streams that last', { concurrency: 3 }, () => {
  const heavy = { heavy: true, waitTimeoutMs: 800 };

  test('nobody waits for them unless that is wished', async (t) => {
    const { report } = await told(t, 'http-059', { waitTimeoutMs: 300 });
    assert.equal(report.counts.judged, 0);
  });

  test('a quiet one without comments is not judged in less than a minute, and ours has some', async (t) => {
    const without = { fault: { piece: (text: string) => text.replaceAll(/^:.*\n+/gm, '') } };
    // A busy machine may need more time before the server counts as one that answers.
    const judged = async (options: typeof heavy & Partial<typeof without>): ReturnType<typeof told> => {
      const quick = await told(t, 'http-059', options);
      return quick.verdicts.size > 0 ? quick : await told(t, 'http-059', { ...options, waitTimeoutMs: 2_400 });
    };
    const [silent, clean] = await Promise.all([judged({ ...heavy, ...without }), judged(heavy)]);
    assert.deepEqual([silent.found, silent.verdicts], [[], new Set(['not-judged'])]);
    assert.match(silent.report.rows.map(({ why }) => why).join(), /listened to for (?:19\.2|57\.6) s alone/);
    assert.deepEqual([clean.found, clean.verdicts.has('holds')], [[], true]);
  });

  /** Closes each stream of GET at once. @param again Status for whoever comes back. */
  const closing = (text: string, again = 200): Fault => ({
    request: ({ method, headers }) => {
      if (method !== 'GET') return undefined;
      const status = headers['last-event-id'] === undefined ? 200 : again;
      return { status, headers: { 'content-type': 'text/event-stream' }, text };
    },
  });

  test('one of GET that is closed without retry, and goes on, breaks http-028', async (t) => {
    const { found } = await told(t, 'http-028', {
      ...heavy,
      waitTimeoutMs: 8_000,
      fault: closing('id: a-1\ndata: \n\n'),
    });
    assert.deepEqual(found, ['http-028 warning']);
  });

  test('one that says when to come back, is over, cannot go on, or is not closed, is none', async (t) => {
    // A stream that closes at once is not waited for; the one that stays open is.
    const told028 = (fault: Fault, waitTimeoutMs = 8_000) => told(t, 'http-028', { ...heavy, waitTimeoutMs, fault });
    const right = await told028(closing('id: a-1\ndata: \n\nretry: 500\n\n'));
    assert.deepEqual([right.found, right.verdicts.has('holds')], [[], true]);
    for (const fault of [closing('id: a-1\ndata: \n\n', 404), closing('data: \n\n')])
      assert.deepEqual((await told028(fault)).found, []);
    assert.deepEqual((await told028({}, heavy.waitTimeoutMs)).found, []);
  });
});
