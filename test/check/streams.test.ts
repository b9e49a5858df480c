/** Streams are judged beyond what they begin with: what comes later, beside another one, and after an answer. */

import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { rawHttp, type RawRequest } from '../../packages/cli/src/check/harness/http.ts';
import { chosenRevisions } from '../../packages/parley/src/protocol/revision.ts';
import { metaKey } from '../../packages/parley/src/protocol/meta.ts';
import { createServer } from '../../packages/parley/src/server.ts';
import { asStream, json, serveFaulty, type Fault } from './faulty.ts';
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

/** A request for the list of tools, whose answer is waited for. */
function listing(): RawRequest {
  const revision = '2026-07-28';
  const meta = { [metaKey.protocolVersion]: revision, [metaKey.clientCapabilities]: {} };
  return {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': revision,
      'mcp-method': 'tools/list',
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list', params: { _meta: meta } }),
    waitTimeoutMs: 5_000,
    until: (messages) => messages.length > 0,
  };
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

test('a second answer on the stream of a request is found', async (t) => {
  const twice: Fault = {
    response(returning, { message: { method } }) {
      if (method !== 'tools/list') return;
      asStream(returning);
      returning.text += returning.text;
    },
  };
  assert.deepEqual(await found(t, twice, ['harden-second-answer', 'tools-002']), ['harden-second-answer']);
});

test('streams that do not end with their answers take no time but that of the first few', async (t) => {
  const open: Fault = {
    response(returning, { message: { method } }) {
      if (method !== 'tools/list') return;
      asStream(returning);
      returning.lasts = true;
    },
  };
  const { url, close } = await serveFaulty(open, () => livelyServer(true));
  t.after(close);
  const http = rawHttp(new URL(url));
  t.after(() => http.close());
  const ends: string[] = [];
  const sent = async (): Promise<number> => {
    const began = performance.now();
    const { end } = await http.send(listing());
    ends.push(end);
    return performance.now() - began;
  };
  const waited = [await sent(), await sent(), await sent()];
  assert.ok(waited.every((ms) => ms >= 95));
  // On a slow machine some take long for other reasons, and not all.
  let quickest = Number.POSITIVE_INFINITY;
  for (let tries = 0; tries < 50 && quickest >= 95; tries++) quickest = Math.min(quickest, await sent());
  assert.ok(quickest < 95);
  assert.ok(ends.every((end) => end === 'heard'));
});

test('a list that gives no result after a call has not changed for that', async (t) => {
  let calls = 0;
  const fault: Fault = {
    request({ message: { id, method } }) {
      if (method === 'tools/call') calls++;
      // Nobody listens before the second call.
      const isBusy = method === 'tools/list' && calls > 0 && calls % 2 === 0;
      return isBusy ? json(500, { jsonrpc: '2.0', id, error: { code: -32_603, message: 'busy' } }) : undefined;
    },
  };
  const server = createServer({ name: 'busy', version: '1.0.0' });
  server.tool('grow', {}, () => 'nothing grew');
  const { url, close } = await serveFaulty(fault, () => server);
  t.after(close);
  const { findings, rows } = await judgedAt(t, url, {
    only: ['tools-006'],
    calls: [{ name: 'grow' }],
    revisions: chosenRevisions(['2026-07-28']),
  });
  assert.deepEqual(findings, []);
  assert.match(rows[0]?.why ?? '', /tools\/list gave no result/);
});

test('media types are told apart by neither case nor spaces nor parameters', async (t) => {
  const spelled: Fault = {
    response({ headers }) {
      const type = headers['content-type'];
      if (type !== undefined)
        headers['content-type'] = `${type.replace(/\w+/g, (word) => word.toUpperCase())} ; charset=utf-8`;
    },
  };
  assert.deepEqual(await found(t, spelled, ['http-017', ...rows]), []);
});
