/** Streams are judged beyond what they begin with: what comes later, beside another one, and after an answer. */

import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { chosenRevisions } from '../../src/protocol/revision.ts';
import { metaKey } from '../../src/protocol/meta.ts';
import { serveFaulty, type Fault } from './faulty.ts';
import { judgedAt } from './judging.ts';
import { livelyServer } from './lively-server.ts';

/** Findings of some rows in a server that has a fault, and a tool that changes all its lists. */
async function found(t: TestContext, fault: Fault, only: readonly string[]): Promise<readonly string[]> {
  const { url, close } = await serveFaulty(fault, () => livelyServer(true));
  t.after(close);
  const { findings, rows } = await judgedAt(t, url, {
    only,
    calls: [{ name: 'grow' }],
    revisions: chosenRevisions(['2026-07-28']),
  });
  if (findings.length === 0) for (const { id, verdict } of rows) assert.equal(verdict, 'holds', id);
  return findings.map(({ id }) => id);
}

/** Alters each notification of changes of a list, but not the acknowledgement. */
const altering = (alter: (meta: Record<string, unknown>) => void): Fault => ({
  piece: (text) =>
    text.replaceAll(/^data: (\{.*"notifications\/\w+\/list_changed".*)$/gm, (_, data: string) => {
      const message = JSON.parse(data) as { readonly params: { readonly _meta: Record<string, unknown> } };
      alter(message.params._meta);
      return `data: ${JSON.stringify(message)}`;
    }),
});

const rows = ['meta-019', 'subs-001', 'subs-006', 'subs-008'];

test('in a server without a fault these rows hold', async (t) => {
  assert.deepEqual(await found(t, {}, rows), []);
});

test('a change without the id of its subscription is found, though its acknowledgement has it', async (t) => {
  const fault = altering((meta) => delete meta[metaKey.subscriptionId]);
  assert.deepEqual(await found(t, fault, ['meta-019', 'subs-006']), ['meta-019']);
});

test('a change with the id of another subscription is found', async (t) => {
  const fault = altering((meta) => void (meta[metaKey.subscriptionId] = 'another'));
  assert.deepEqual(await found(t, fault, ['meta-019', 'subs-006']), ['subs-006']);
});

test('a change that is told on a stream which did not ask for it is found', async (t) => {
  const streams: ((method: string) => void)[] = [];
  const fault: Fault = {
    opened(write, { message: { id } }) {
      streams.push((method) =>
        write(
          `data: ${JSON.stringify({ jsonrpc: '2.0', method, params: { _meta: { [metaKey.subscriptionId]: id } } })}\n\n`,
        ),
      );
    },
    response(_, { message: { method } }) {
      if (method === 'tools/call') for (const tell of streams) tell('notifications/tools/list_changed');
    },
  };
  assert.deepEqual(await found(t, fault, ['subs-001', 'tools-006']), ['subs-001']);
});

test('a stream that ends when another is opened is found, and one that always ends soon is not', async (t) => {
  let last: (() => void) | undefined;
  const one: Fault = {
    opened(_, __, end) {
      last?.();
      last = end;
    },
  };
  assert.deepEqual(await found(t, one, ['subs-008']), ['subs-008']);
  const hurried: Fault = { opened: (_, __, end) => void setTimeout(end, 100).unref() };
  const { url, close } = await serveFaulty(hurried, () => livelyServer(true));
  t.after(close);
  assert.deepEqual((await judgedAt(t, url, { only: ['subs-008'] })).findings, []);
});
