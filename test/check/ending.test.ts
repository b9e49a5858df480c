/** A server that ends at a message is found, be it started again or not; one that only breaks connections, or restarts once, is not. */

import assert from 'node:assert/strict';
import { createServer as createHttp, type IncomingMessage } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { describe, test, type TestContext } from 'node:test';
import { setTimeout as rest } from 'node:timers/promises';
import { judgeServer } from '../../packages/cli/src/check/run/check.ts';
import type { CheckReport } from '../../packages/cli/src/check/report.ts';
import { toNodeHandler } from '../../packages/parley/src/node.ts';
import { cleanServer } from './faulty.ts';
import { judgedAt } from './judging.ts';

/** Way in which a server ends: never, for good, or until it listens again after a time in milliseconds. */
interface Ending {
  /** Tells that a message is the end. */
  readonly at: (body: string) => boolean;
  readonly backMs?: number;
  /** Tells that it ends this time; each time by default. */
  readonly when?: (time: number) => boolean;
  /** Breaks the connection of the message alone. */
  readonly isOnlyRude?: boolean;
  /** Time after which connections that say nothing are ended, in milliseconds. */
  readonly idleTimeoutMs?: number;
}

const isBroken = (body: string): boolean => body === '{"jsonrpc":"2.0","id":';
const isStrange = (body: string): boolean => body.includes('"method":"notifications/parley-check-unknown"');

/** Serves on a port, and ends as a process does: all its connections break at once, and nobody listens. */
async function ending(
  t: TestContext,
  { at, backMs, when = () => true, isOnlyRude, idleTimeoutMs }: Ending,
): Promise<string> {
  const handler = toNodeHandler(cleanServer(), { onWarning: () => undefined });
  const sockets = new Set<Socket>();
  let [times, isOver] = [0, false];
  const http = createHttp((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const body = Buffer.concat(chunks);
      if (!at(body.toString()) || !when(++times)) return handler(given(request, body), response);
      if (isOnlyRude === true) return void request.socket.destroy();
      http.close();
      for (const socket of sockets) socket.destroy();
      if (backMs !== undefined) void rest(backMs).then(() => isOver || http.listen(port, '127.0.0.1'));
    });
  });
  http.on('connection', (socket) => {
    sockets.add(socket.once('close', () => sockets.delete(socket)));
    if (idleTimeoutMs !== undefined)
      void rest(idleTimeoutMs, undefined, { ref: false }).then(() => socket.bytesRead || socket.destroy());
  });
  await new Promise<void>((resolve) => void http.listen(0, '127.0.0.1', resolve));
  // A server that listens on a port has such an address.
  const { port } = http.address() as AddressInfo;
  t.after(() => {
    isOver = true;
    http.closeAllConnections();
    http.close();
    return handler.close();
  });
  return `http://127.0.0.1:${port}/mcp`;
}

/** The request with its body, which was read already. */
function given(request: IncomingMessage, body: Buffer): IncomingMessage {
  return Object.assign(request, { body: body.length === 0 ? undefined : body.toString() });
}

const found = ({ findings }: CheckReport): readonly string[] => findings.map(({ id }) => id);
const heldIn = ({ rows }: CheckReport, row: string): boolean =>
  rows.some(({ id, verdict }) => id === row && verdict === 'holds');

describe('a server over HTTP', { concurrency: 4 }, () => {
  for (const [what, at, row] of [
    ['JSON that is none', isBroken, 'harden-no-json'],
    ['a notification that it does not know', isStrange, 'harden-alive'],
  ] as const) {
    test(`that ends for good at ${what} is found: ${row}`, async (t) => {
      const report = await judgedAt(t, await ending(t, { at }));
      assert.deepEqual(found(report), [row]);
      // Somebody may have stopped it as well.
      if (row === 'harden-alive')
        assert.match(report.findings[0]?.why ?? '', /^nothing listens there any more: this was on its way/);
    });

    for (const backMs of [10, 1_500])
      test(`that ends at ${what}, and listens again after ${backMs} ms, is found: ${row}`, async (t) => {
        const report = await judgedAt(t, await ending(t, { at, backMs }));
        assert.deepEqual(found(report), [row]);
        assert.ok(heldIn(report, 'harden-depth'), 'the others are judged all the same');
      });

    test(`that breaks the connection at ${what}, and lives, is none`, async (t) => {
      const report = await judgedAt(t, await ending(t, { at, isOnlyRude: true }));
      assert.deepEqual(
        found(report).filter((id) => id.startsWith('harden-')),
        [],
      );
      assert.ok(heldIn(report, row));
    });

    test(`that breaks it, and ends idle connections soon, is none where it lives: ${what}`, async (t) => {
      const report = await judgedAt(t, await ending(t, { at, isOnlyRude: true, idleTimeoutMs: 50 }));
      assert.deepEqual(
        found(report).filter((id) => id.startsWith('harden-')),
        [],
      );
      assert.ok(report.counts.judged > 50, JSON.stringify(report.counts));
    });

    test(`that restarts once while ${what} is sent is none`, async (t) => {
      const report = await judgedAt(t, await ending(t, { at, backMs: 2_000, when: (time) => time === 1 }));
      assert.deepEqual(found(report), []);
    });
  }
});

describe('a server of lines', () => {
  const program = (at: string): string => `
    const say = (message) => console.log(JSON.stringify({ jsonrpc: '2.0', ...message }));
    require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
      if (${at}) process.exit(1);
      let message = {};
      try { message = JSON.parse(line); } catch { return say({ id: null, error: { code: -32700, message: 'no' } }); }
      const { id, method, params } = message ?? {};
      if (id === undefined || typeof method !== 'string') return;
      if (method === 'ping') return say({ id, result: {} });
      if (method !== 'initialize') return say({ id, error: { code: -32601, message: 'no such method' } });
      const protocolVersion = '2025-11-25';
      say({ id, result: { protocolVersion, capabilities: {}, serverInfo: { name: 'lines', version: '1' } } });
    });`;

  for (const [at, row] of [
    ['false', undefined],
    ['line === \'{"jsonrpc":"2.0","id":\'', 'harden-no-json'],
    ["line.includes('notifications/parley-check-unknown')", 'harden-alive'],
  ] as const)
    test(`where it ends if ${at}: ${row ?? 'nothing'} is found`, async (t) => {
      const start = { command: process.execPath, args: ['-e', program(at)], env: {} };
      const report = await judgeServer({
        way: { over: 'stdio', start },
        target: 'lines',
        info: { name: 'parley-check', version: '1.0.0' },
        isNear: true,
        signal: t.signal,
      });
      assert.deepEqual(found(report), row === undefined ? [] : [row]);
    });
});
