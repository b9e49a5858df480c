/** Right servers that look like wrong ones are not judged, and nothing is sent that could change something. */

import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import type { CheckReport } from '../../packages/cli/src/check/report.ts';
import { isObject } from '../../packages/parley/src/jsonrpc/message.ts';
import { chosenRevisions, type RevisionDate } from '../../packages/parley/src/protocol/revision.ts';
import { asStream, json, result, serveFaulty, cleanServer, type Fault, type Passing } from './faulty.ts';
import { before } from './further-faults.ts';
import { judgedAt, type ServerJudging } from './judging.ts';
import { livelyCalls, livelyServer } from './lively-server.ts';

interface Careful extends Omit<ServerJudging, 'only' | 'revisions'> {
  readonly date: RevisionDate;
  readonly row: string;
  readonly fault: Fault;
  readonly made?: () => ReturnType<typeof cleanServer>;
}

/** @returns Verdicts on the row in the revision. */
async function verdicts(
  t: TestContext,
  { date, row, fault, made = cleanServer, ...options }: Careful,
): Promise<readonly CheckReport['rows'][number]['verdict'][]> {
  const { url, close } = await serveFaulty(fault, made);
  t.after(close);
  const { rows } = await judgedAt(t, url, { ...options, revisions: chosenRevisions([date]), only: [row] });
  return rows.filter(({ id }) => id === row).map(({ verdict }) => verdict);
}

function readUri({ message: { method, params } }: Passing): string | undefined {
  return method === 'resources/read' && isObject(params) ? String(params['uri']) : undefined;
}

/** Answers the reading of what is chosen with a text, at the address that it gives. */
function readsAs(isMine: (uri: string) => boolean, address: (uri: string) => string): Fault {
  return {
    request(passing) {
      const uri = readUri(passing);
      if (uri === undefined || !isMine(uri)) return undefined;
      const contents = [{ uri: address(uri), text: 'There is nothing.' }];
      return json(200, { jsonrpc: '2.0', id: passing.message['id'], result: { contents } });
    },
  };
}

const readers: Readonly<Record<string, readonly [fault: Fault, verdict: string]>> = {
  'reads what is no address': [readsAs((uri) => uri.includes(' '), String), 'breaks'],
  'makes an address of a text': [
    readsAs(
      (uri) => uri.includes(' '),
      (uri) => new URL(uri, 'memo:///').href,
    ),
    'not-judged',
  ],
  'has a text for whatever is not there': [readsAs((uri) => uri !== 'memo://one', String), 'not-judged'],
};

for (const [what, [fault, verdict]] of Object.entries(readers))
  test(`resources-018 is ${verdict} of a server that ${what}`, async (t) => {
    assert.deepEqual(await verdicts(t, { date: '2025-06-18', row: 'resources-018', fault }), [verdict]);
  });

test('a stream that answers a batch slowly breaks nothing', async (t) => {
  const fault: Fault = {
    response(returning, { body }) {
      if (!body.startsWith('[') || returning.status !== 200) return;
      const [first] = JSON.parse(returning.text) as readonly unknown[];
      returning.text = JSON.stringify(first);
      asStream(returning);
      returning.lasts = true;
    },
  };
  assert.deepEqual(await verdicts(t, { date: '2025-03-26', row: 'http-020', fault, waitTimeoutMs: 1_000 }), [
    'not-judged',
  ]);
});

test('an app is not judged where reading it fails for another reason', async (t) => {
  const fault: Fault = {
    request(passing) {
      if (readUri(passing) !== 'ui://show') return undefined;
      const error = { code: -32_603, message: 'what keeps it is down' };
      return json(200, { jsonrpc: '2.0', id: passing.message['id'], error });
    },
  };
  const lively = { made: () => livelyServer(false), calls: livelyCalls };
  assert.deepEqual(await verdicts(t, { date: '2025-11-25', row: 'resources-023', fault, ...lively }), ['not-judged']);
});

test('an app that is not listed is not read', async (t) => {
  const read: string[] = [];
  const unlisted = result('resources/list', (of) => {
    if (Array.isArray(of['resources'])) of['resources'] = of['resources'].filter(({ uri }) => uri !== 'ui://show');
  });
  const fault: Fault = { ...unlisted, request: (passing) => void read.push(...[readUri(passing) ?? []].flat()) };
  const lively = { made: () => livelyServer(false), calls: livelyCalls };
  assert.deepEqual(await verdicts(t, { date: '2025-11-25', row: 'resources-023', fault, ...lively }), ['not-judged']);
  assert.ok(!read.includes('ui://show'), read.join(', '));
});

test('a tool is called in another case where that name is allowed too, and in none else', async (t) => {
  const called: unknown[] = [];
  const fault: Fault = {
    request({ message: { method, params } }) {
      if (method === 'tools/call' && isObject(params)) called.push(params['name']);
    },
  };
  const of = { date: '2025-11-25', row: 'tools-017', fault } as const;
  const sum = { name: 'sum', args: { of: [1] } };
  const named = ['add', 'sum', 'burn'].map((name) => ({ name, ...(name === 'sum' && sum), isDestructive: true }));
  assert.deepEqual(await verdicts(t, { ...of, calls: named }), ['not-allowed']);
  assert.deepEqual(new Set(called), new Set(['add', 'burn', 'sum']));
  assert.deepEqual(await verdicts(t, { ...of, calls: [{ name: 'Burn' }, ...named] }), ['not-allowed']);
  assert.ok(!called.includes('Burn'), 'one that destroys is called by its own name alone');
  assert.deepEqual(await verdicts(t, { ...of, calls: [sum, { name: 'Sum' }] }), ['holds']);
  assert.ok(called.includes('Sum'));
});

test('the schema of a revision says nothing of a method that it does not have, which has a row of its own', async (t) => {
  const params = { mode: 'form', message: 'Sure?', requestedSchema: { type: 'object', properties: {} } };
  const fault = before({ id: 'e-1', method: 'elicitation/create', params });
  const of = { date: '2024-11-05', fault } as const;
  assert.deepEqual(await verdicts(t, { ...of, row: 'wire-schema' }), ['holds']);
  assert.deepEqual(await verdicts(t, { ...of, row: 'lifecycle-007' }), ['differs']);
});
