import assert from 'node:assert/strict';
import { test } from 'node:test';
import { memoryStore } from '../../../../../storage/memory/store.ts';
import { resolveHttpOptions } from '../../exchanges/options.ts';
import { ofSharedStores, ReportRoom } from '../report-room.ts';
import { SharedStream } from './shared-stream.ts';

test('a stream whose owner has no room goes on and cannot be resumed', async () => {
  const sent: string[] = [];
  const errors: string[] = [];
  const log = memoryStore().events.open('session');
  const stream = new SharedStream({
    name: 'here-1',
    log,
    about: 'about',
    polling: false,
    settings: resolveHttpOptions({ onError: ({ message }) => errors.push(message) }),
    reports: new ReportRoom(() => 0),
    hasRoom: (length) => length < 10,
    onEnd: () => undefined,
  });
  const connection = { ended: false, send: (data: string) => sent.push(data), end: (data: string) => sent.push(data) };
  stream.open(connection as never);
  stream.send('"short"');
  stream.send('"much too long"');
  stream.end('"answer"');
  await stream.flushed;
  assert.deepEqual(sent, ['"short"', '"much too long"', '"answer"']);
  assert.equal(await stream.resume(0), undefined);
  assert.deepEqual(errors, ['a stream cannot be resumed: its owner keeps too many events in the store']);
});

test('in a shared store log messages leave room for the answer', async () => {
  const log = memoryStore().events.open('session');
  const stream = new SharedStream({
    name: 'here-1',
    log,
    about: 'about',
    polling: false,
    settings: resolveHttpOptions({}),
    reports: new ReportRoom(() => 0, ofSharedStores),
    onEnd: () => undefined,
  });
  for (let at = 0; at < 1_000; at++) stream.send(`{"jsonrpc":"2.0","method":"notifications/message","params":${at}}`);
  stream.end('"answer"');
  await stream.flushed;
  const rest = await log.read('here-1', 0);
  assert.equal(rest?.events.length, 101);
  assert.equal(rest?.events.at(-1)?.data, '"answer"');
});
