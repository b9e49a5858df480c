import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Seen } from './entry.ts';
import { createLog, type LogLimits } from './log.ts';

function clocked(limits: LogLimits = {}): { log: ReturnType<typeof createLog>; clock: { time: number } } {
  const clock = { time: 1_000 };
  return { log: createLog({ server: 'weather', now: () => clock.time, ...limits }), clock };
}

const line = (from: Seen['from'], text: string): Seen => ({ lane: 'message', from, text, connection: 1 });

describe('a log', () => {
  test('ties a response to its request, with the time between', () => {
    const { log, clock } = clocked();
    const request = log.note(line('client', '{"jsonrpc":"2.0","id":1,"method":"ping"}'));
    // The other side has an id of its own that is the same.
    log.note(line('server', '{"jsonrpc":"2.0","id":1,"method":"roots/list"}'));
    clock.time += 41;
    const response = log.note(line('server', '{"jsonrpc":"2.0","id":1,"result":{}}'));
    assert.deepEqual([log.entry(request)?.pair, log.entry(request)?.ms], [response, 41]);
    const { pair, ms, method, id } = log.entry(response) ?? {};
    assert.deepEqual([pair, ms, method, id], [request, 41, 'ping', 1]);
  });

  test('ties a response whose id is the number of the request as text', () => {
    const { log } = clocked();
    const [other, request] = ['"8"', '7'].map((id) =>
      log.note(line('client', `{"jsonrpc":"2.0","id":${id},"method":"ping"}`)),
    );
    const response = log.note(line('server', '{"jsonrpc":"2.0","id":"7","result":{}}'));
    log.note(line('server', '{"jsonrpc":"2.0","id":8,"result":{}}'));
    assert.deepEqual([log.entry(request ?? 0)?.pair, log.entry(response)?.pair], [response, request]);
    assert.equal(log.entry(other ?? 0)?.pair, undefined);
  });

  test('knows which requests were given up, by whoever asked them, and that one was answered all the same', () => {
    const { log } = clocked();
    const ping = (id: number, from: Seen['from']): number =>
      log.note(line(from, `{"jsonrpc":"2.0","id":${id},"method":"ping"}`));
    const [own, other, theirs] = [ping(1, 'client'), ping(2, 'client'), ping(1, 'server')];
    const cancel = (id: number): string =>
      `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":${id}}}`;
    const notice = log.note(line('client', cancel(1)));
    assert.deepEqual(
      [own, other, theirs].map((n) => log.entry(n)?.cancelled),
      [notice, undefined, undefined],
    );
    log.note(line('client', cancel(7)));
    const late = log.note(line('server', '{"jsonrpc":"2.0","id":1,"result":{}}'));
    assert.deepEqual([log.entry(own)?.pair, log.entry(own)?.cancelled], [late, notice]);
  });

  test('ties a response that is too long to be kept to its request', () => {
    const { log } = clocked({ text: 100 });
    const request = log.note(line('client', '{"jsonrpc":"2.0","id":1,"method":"tools/call"}'));
    const text = JSON.stringify({ jsonrpc: '2.0', id: 1, result: { content: 'x'.repeat(100_000) } });
    const response = log.note(line('server', text));
    assert.equal(log.entry(request)?.pair, response);
    const { pair, method, id, cut } = log.entry(response) ?? {};
    assert.deepEqual([pair, method, id, cut], [request, 'tools/call', 1, text.length - 100]);
  });

  test('knows 1 and "1" for two ids where both are open, and ties no answer twice', () => {
    const { log } = clocked();
    const [number, text] = ['1', '"1"'].map((id) =>
      log.note(line('client', `{"jsonrpc":"2.0","id":${id},"method":"ping"}`)),
    );
    const other = log.note(line('server', '{"jsonrpc":"2.0","id":"1","result":{}}'));
    assert.equal(log.entry(other)?.pair, text);
    assert.equal(log.entry(number ?? 0)?.pair, undefined);
    log.note(line('server', '{"jsonrpc":"2.0","id":1,"result":{}}'));
    const again = log.note(line('server', '{"jsonrpc":"2.0","id":1,"result":{}}'));
    assert.equal(log.entry(again)?.pair, undefined);
  });

  test('puts the revision to entries that initialize settled, or that a request claims', () => {
    const { log } = clocked();
    log.note(
      line('client', '{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"1999-01-01"}}'),
    );
    log.note(line('server', '{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":"2025-06-18"}}'));
    const later = log.note(line('client', '{"jsonrpc":"2.0","id":1,"method":"ping"}'));
    assert.equal(log.entry(later)?.revision, '2025-06-18');
    const claim = { 'io.modelcontextprotocol/protocolVersion': '2026-07-28' };
    const own = { jsonrpc: '2.0', id: 2, method: 'tools/list', params: { _meta: claim } };
    const stateless = log.note({ ...line('client', JSON.stringify(own)), connection: 2 });
    assert.equal(log.entry(stateless)?.revision, '2026-07-28');
  });

  test('lets the oldest entries leave, and counts them', () => {
    const { log } = clocked({ entries: 3 });
    for (let at = 0; at < 5; at++) log.note({ lane: 'stderr', from: 'server', text: 'four' });
    assert.deepEqual(
      log.since(0).map(({ sequence }) => sequence),
      [3, 4, 5],
    );
    assert.deepEqual(log.left, { entries: 2, bytes: 8, last: 2 });
  });

  test('keeps to its characters, of bodies that are still coming too', () => {
    const { log } = clocked({ characters: 10_000 });
    for (let at = 0; at < 20; at++) {
      const body = log.note({ lane: 'http', from: 'server', http: { status: 200, headers: {} } });
      log.grow(body, 'x'.repeat(1_000));
    }
    assert.equal(log.since(0).length < 10, true);
    assert.equal(log.left.bytes, log.left.entries * 1_000);
  });

  test('cuts a long text, counts the rest in characters and the whole in bytes, and judges it not', () => {
    const { log } = clocked({ text: 10 });
    const body = log.note({ lane: 'http', from: 'server', http: { status: 200, headers: {} } });
    for (const piece of ['{"æøå":', '"0123456789"}']) log.grow(body, piece);
    log.end(body, { lane: 'message' });
    const { text, cut, bytes, problem, lane } = log.entry(body) ?? {};
    assert.deepEqual([text, cut, bytes, problem, lane], ['{"æøå":"01', 10, 23, undefined, 'message']);
  });

  test('says of text that should be a message and is none why it is none', () => {
    const { log } = clocked();
    for (const text of ['Server started', '[', '7', '{"a":'.repeat(5_000)]) {
      const { problem, text: kept } = log.entry(log.note(line('server', text))) ?? {};
      assert.equal(typeof problem, 'string', text.slice(0, 20));
      assert.equal(kept, text);
    }
  });

  test('tells listeners of entries and their changes, drops one that throws, and has 32 at most', () => {
    const { log } = clocked();
    const heard: number[] = [];
    log.subscribe(() => {
      throw new Error('mine');
    });
    const end = log.subscribe(({ sequence }) => heard.push(sequence));
    const sequence = log.note(line('server', '{}'));
    log.judge(sequence, ['basic-001']);
    end();
    log.note(line('server', '{}'));
    assert.deepEqual(heard, [1, 1]);
    assert.deepEqual(log.entry(1)?.broken, ['basic-001']);
    for (let at = 0; at < 32; at++) log.subscribe(() => {});
    assert.throws(() => log.subscribe(() => {}), /at most 32 listeners/);
  });
});
