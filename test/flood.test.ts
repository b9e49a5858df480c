import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { describe, it, type TestContext } from 'node:test';
import { until } from './support/turns.ts';
import { connect, type ConnectOptions } from '../packages/parley/src/client.ts';
import { spawn } from '../packages/parley/src/stdio.ts';

const handshake = '2025-06-18';
const revisions = [handshake, '2026-07-28'];

interface Sent {
  readonly id?: number;
  readonly method?: string;
}

/** What a server of a revision answers to whatever is no call. */
function introduced(revision: string, method: string | undefined): object {
  const capabilities = { tools: {}, logging: {} };
  const info = { name: 'flood', version: '1' };
  const common = { ttlMs: 0, cacheScope: 'private', resultType: 'complete' };
  return method === 'server/discover'
    ? { supportedVersions: revisions.filter((date) => date === revision), capabilities, ...common, serverInfo: info }
    : { protocolVersion: revision, capabilities, serverInfo: info };
}

interface Flood {
  readonly revision: string;
  readonly count: number;
  /** One message of the flood. */
  readonly line: string;
}

const log = JSON.stringify({ jsonrpc: '2.0', method: 'notifications/message', params: { level: 'info', data: 'x' } });

/** Connects to a server that tells a flood within every call before it answers. */
async function flooded(
  t: TestContext,
  { revision, count, line }: Flood,
  options: ConnectOptions = {},
): Promise<Flooded> {
  let heard = 0;
  let isCut!: (cut: boolean) => void;
  const cut = new Promise<boolean>((resolve) => (isCut = resolve));
  const server = createServer(async (request, response) => {
    if (request.method !== 'POST') return void response.writeHead(405).end();
    const { id, method } = JSON.parse(await text(request)) as Sent;
    if (id === undefined) return void response.writeHead(202).end();
    const stateful = revision === handshake;
    const unknown = stateful && method === 'server/discover';
    if (method === 'tools/call') {
      response.once('close', () => isCut(!response.writableFinished));
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      return await pour(response, { line, count }, id);
    }
    const error = { code: -32601, message: 'no such method' };
    const answer = unknown ? { error } : { result: introduced(revision, method) };
    response.writeHead(unknown ? 404 : 200, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ jsonrpc: '2.0', id, ...answer }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  // A server that listens on a port has the address of one.
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`;
  const client = await connect(url, { ...options, onNotification: () => void heard++, onWarning: () => void heard++ });
  t.after(() => client.close());
  return { call: () => client.callTool('x'), heard: () => heard, cut };
}

interface Flooded {
  call(): Promise<unknown>;
  /** How many messages were heard. */
  heard(): number;
  /** Resolves when the stream of the first call is over: whether the client closed it. */
  readonly cut: Promise<boolean>;
}

async function pour(response: ServerResponse, { line, count }: Omit<Flood, 'revision'>, id: number): Promise<void> {
  const closed = once(response, 'close');
  const piece = `data: ${line}\n\n`.repeat(1000);
  for (let told = 0; told < count && !response.destroyed; told += 1000)
    if (!response.write(piece)) await Promise.race([once(response, 'drain'), closed]);
  const result = { content: [], resultType: 'complete' };
  response.end(`data: ${JSON.stringify({ jsonrpc: '2.0', id, result })}\n\n`);
}

describe('notifications within one request', () => {
  for (const revision of revisions) {
    it(`are limited in number at ${revision}: 300,000 are too many`, async (t) => {
      const one = await flooded(t, { revision, count: 300_000, line: log });
      await assert.rejects(one.call(), {
        name: 'ConnectionError',
        reason: 'too-large',
        message: /^tools\/call was cancelled: more than 100000 notifications/,
      });
      assert.equal(one.heard(), 100_000);
      assert.equal(await one.cut, true);
    });

    it(`are as many as the option says at ${revision}`, async (t) => {
      const within = await flooded(t, { revision, count: 3_000, line: log }, { maxNotifications: 3_000 });
      assert.partialDeepStrictEqual(await within.call(), { content: [] });
      const beyond = await flooded(t, { revision, count: 3_000, line: log }, { maxNotifications: 2_999 });
      await assert.rejects(beyond.call(), { reason: 'too-large' });
    });

    it(`are limited in bytes at ${revision}`, async (t) => {
      const limit = { maxNotificationBytes: log.length * 1_500 };
      const one = await flooded(t, { revision, count: 3_000, line: log }, limit);
      await assert.rejects(one.call(), {
        reason: 'too-large',
        message: /bytes of notifications .*maxNotificationBytes/,
      });
      assert.equal(one.heard(), 1_500);
    });

    it(`count where they cannot be read at ${revision}`, async (t) => {
      const one = await flooded(t, { revision, count: 3_000, line: '{"jsonrpc"' }, { maxNotifications: 100 });
      await assert.rejects(one.call(), { reason: 'too-large' });
      assert.equal(one.heard(), 100);
    });
  }

  it('are limited in a batch that holds the answer as well', async (t) => {
    const batch = `[${`${log},`.repeat(20)}{"jsonrpc":"2.0","id":999,"result":{}}]`;
    const one = await flooded(t, { revision: handshake, count: 1_000, line: batch }, { maxNotifications: 100 });
    await assert.rejects(one.call(), { reason: 'too-large' });
    // What is left of the batch that was too much is heard.
    assert.ok(one.heard() >= 100 && one.heard() <= 121);
  });

  it('are limited on stdio', async (t) => {
    const script = `
      const lines = require('node:readline').createInterface({ input: process.stdin });
      const say = (value) => process.stdout.write(JSON.stringify({ jsonrpc: '2.0', ...value }) + '\\n');
      lines.on('line', (line) => {
        const { id, method } = JSON.parse(line);
        if (id === undefined) return;
        if (method === 'server/discover') return say({ id, error: { code: -32601, message: 'no such method' } });
        if (method === 'tools/call') process.stdout.write(${JSON.stringify(`${log}\n`)}.repeat(3000));
        say({ id, result: method === 'initialize' ? ${JSON.stringify(introduced(handshake, 'initialize'))} : { content: [] } });
      });`;
    let heard = 0;
    const options = { maxNotifications: 2_000, onNotification: () => void heard++ };
    const client = await connect(spawn(process.execPath, ['-e', script]), options);
    t.after(() => client.close());
    await assert.rejects(client.callTool('x'), { reason: 'too-large' });
    assert.ok(heard >= 2_000);
    // The conversation goes on.
    const limits = { ...options, maxNotificationBytes: log.length };
    const small = await connect(spawn(process.execPath, ['-e', script]), limits);
    t.after(() => small.close());
    await assert.rejects(small.callTool('x'), { reason: 'too-large', message: /bytes of notifications/ });
  });

  it('have limits that are numbers', async () => {
    for (const options of [{ maxNotifications: -1 }, { maxNotificationBytes: Number.NaN }])
      await assert.rejects(connect('http://127.0.0.1:9/mcp', options), TypeError);
  });
});

for (const line of ['{"jsonrpc":"2.0","id":"#","method":"ping"}', '{"jsonrpc":"2.0","id":"#","method":7}']) {
  it(`requests of a server that takes no answer are answered 500 at once: ${line}`, async (t) => {
    let answers = 0;
    let ended!: () => void;
    const server = createServer(async (request, response) => {
      if (request.method !== 'POST') return void response.writeHead(405).end();
      const { id, method } = JSON.parse(await text(request)) as Sent;
      // An answer that is never taken.
      if (method === undefined) return void answers++;
      if (id === undefined) return void response.writeHead(202).end();
      if (method === 'server/discover') return void response.writeHead(404).end();
      if (method === 'initialize') {
        response.writeHead(200, { 'content-type': 'application/json' });
        return void response.end(JSON.stringify({ jsonrpc: '2.0', id, result: introduced(handshake, method) }));
      }
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      for (let asked = 0; asked < 2_000; asked++) response.write(`data: ${line.replace('#', `q${asked}`)}\n\n`);
      ended = () => response.end(`data: ${JSON.stringify({ jsonrpc: '2.0', id, result: { content: [] } })}\n\n`);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    t.after(() => {
      server.closeAllConnections();
      server.close();
    });
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`;
    const warnings: string[] = [];
    let isLast!: () => void;
    const last = new Promise<void>((resolve) => (isLast = resolve));
    const onWarning = (words: string): void => {
      warnings.push(words);
      if (words.startsWith('further warnings')) isLast();
    };
    const client = await connect(url, { onWarning });
    t.after(() => client.close());
    const call = client.callTool('x');
    await last;
    await until(() => answers >= 500, 'the answers that are not taken');
    ended();
    assert.partialDeepStrictEqual(await call, { content: [] });
    assert.ok(answers <= 500, `${answers} answers`);
    // Each request causes a warning or two; a client reports 200 a minute, and then that there are more.
    assert.equal(warnings.length, 201);
  });
}
