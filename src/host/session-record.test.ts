import assert from 'node:assert/strict';
import { test } from 'node:test';
import { revisions } from '../protocol/revision.ts';
import { changedRecord, readSessionRecord, type SessionRecord } from './session-record.ts';

const record: SessionRecord = {
  revision: '2025-11-25',
  client: { info: { name: 'c', version: '1' }, capabilities: { roots: {} } },
  offered: { tools: {} },
  isReady: false,
  level: 'info',
  watched: ['a:1'],
};

test('a record is read as it was written', () => {
  const read = readSessionRecord(JSON.parse(JSON.stringify(record)), revisions);
  assert.deepEqual(JSON.parse(JSON.stringify(read)), record);
});

for (const [what, changed] of Object.entries({
  'another revision': { revision: '2031-01-01' },
  'no revision': { revision: 5 },
  'no client': { client: undefined },
  'a client without a name': { client: { info: { version: '1' }, capabilities: {} } },
  'a client without capabilities': { client: { info: { name: 'c', version: '1' } } },
  'no capabilities of the server': { offered: [] },
  'a word for a truth': { isReady: 'yes' },
  'no level of logging': { level: undefined },
  'another level of logging': { level: 'loud' },
  'no list of what is watched': { watched: 'a:1' },
  'a number that is watched': { watched: ['a:1', 2] },
}))
  test(`with ${what} it is no record`, () => {
    assert.equal(readSessionRecord({ ...record, ...changed }, revisions), undefined);
  });

test('what is no object is no record, nor is one of a revision that is not spoken here', () => {
  for (const value of [undefined, null, 'x', [record]]) assert.equal(readSessionRecord(value, revisions), undefined);
  const others = revisions.filter(({ date }) => date !== record.revision);
  assert.equal(readSessionRecord(record, others), undefined);
});

test('a change changes what it names, and is the same when it comes twice', () => {
  assert.deepEqual(changedRecord(record, { kind: 'ready' }), { ...record, isReady: true });
  assert.deepEqual(changedRecord(record, { kind: 'level', level: 'error' }), { ...record, level: 'error' });
  const more = changedRecord(record, { kind: 'watch', uri: 'b:1' });
  assert.deepEqual(more.watched, ['a:1', 'b:1']);
  assert.deepEqual(changedRecord(more, { kind: 'watch', uri: 'b:1' }).watched, ['a:1', 'b:1']);
  const less = changedRecord(more, { kind: 'unwatch', uri: 'a:1' });
  assert.deepEqual(less.watched, ['b:1']);
  assert.deepEqual(changedRecord(less, { kind: 'unwatch', uri: 'a:1' }).watched, ['b:1']);
});
