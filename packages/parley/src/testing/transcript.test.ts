import assert from 'node:assert/strict';
import { test } from 'node:test';
import { newestRevision, revisionOf, type Revision } from '../protocol/revision.ts';
import { differences, linesOf, parseTranscripts, valueToSend } from './transcript.ts';

function find(date: string): Revision {
  const revision = revisionOf(date);
  assert.ok(revision);
  return revision;
}

function differ(pattern: string, value: unknown): readonly string[] {
  return differences(pattern, value, newestRevision, new Map());
}

test('a file holds transcripts with titles, settings and lines', () => {
  const text = `
// a comment
# first
revisions: 2024-11-05..2025-03-26
over: stdio

C: {"id":1}
S 2025-03-26: {"id":1,
  "result":{}}
# second
C: {}
H: 202
`;
  const [first, second] = parseTranscripts(text);
  assert.deepEqual(
    first?.revisions.map(({ date }) => date),
    ['2024-11-05', '2025-03-26'],
  );
  assert.equal(first?.settings.get('over'), 'stdio');
  assert.deepEqual(
    first?.lines.map(({ kind, text: body }) => [kind, body]),
    [
      ['client', '{"id":1}'],
      ['server', '{"id":1, "result":{}}'],
    ],
  );
  assert.equal(second?.revisions.length, 5);
  assert.equal(second?.lines[1]?.kind, 'status');
});

test('a line may be limited to some revisions', () => {
  const [transcript] = parseTranscripts('# t\nC ..2025-03-26: 1\nC 2025-06-18..: 2\nC: 3\n');
  assert.ok(transcript);
  assert.deepEqual(
    linesOf(transcript, find('2025-03-26')).map(({ text }) => text),
    ['1', '3'],
  );
  assert.deepEqual(
    linesOf(transcript, find('2026-07-28')).map(({ text }) => text),
    ['2', '3'],
  );
});

test('a line that is none is refused with its number', () => {
  assert.throws(() => parseTranscripts('# t\nX: {}\n'), /line 2: not a line/);
  assert.throws(() => parseTranscripts('C: {}\n'), /begins with its title/);
  assert.throws(() => parseTranscripts('# t\nrevisions: 2024-01-01\n'), /unknown revision/);
});

test('a value must be as written', () => {
  assert.deepEqual(differ('{"a":[1,{"b":null}]}', { a: [1, { b: null }] }), []);
  assert.deepEqual(differ('{"a":1}', { a: 2 }), ['/a: expected 1, got 2']);
  assert.deepEqual(differ('{"a":1}', { a: 1, b: 2 }), ['/b: not expected, got 2']);
  assert.deepEqual(differ('{"a":1}', {}), ['/a: expected 1, got nothing']);
  assert.deepEqual(differ('[1]', [1, 2]), ['/: expected 1 elements, got [1,2]']);
});

test('an ellipsis stands for further fields and elements', () => {
  assert.deepEqual(differ('{"a":[1,…],…}', { a: [1, 2, 3], b: 1 }), []);
  assert.deepEqual(differ('{"a":[…]}', { a: [] }), []);
  assert.equal(differ('{"a":1,…}', { b: 1 }).length, 1);
  assert.equal(differ('{"a":"…"}', { a: 'x' }).length, 1);
});

test('placeholders take any value of their kind', () => {
  assert.deepEqual(differ('["<any>","<string>","<number>","<object>"]', [null, 'a', 1, {}]), []);
  assert.equal(differ('["<string>","<number>","<object>"]', [1, 'a', []]).length, 3);
  assert.equal(differ('{"a":"<any>"}', {}).length, 1);
});

test('a name is one value, in what comes and in what is sent', () => {
  const bindings = new Map<string, unknown>();
  assert.deepEqual(differences('{"a":"<x>"}', { a: [1] }, newestRevision, bindings), []);
  assert.equal(differences('{"a":"<x>"}', { a: [2] }, newestRevision, bindings).length, 1);
  assert.deepEqual(valueToSend('{"b":"<x>"}', newestRevision, bindings), { b: [1] });
  assert.throws(() => valueToSend('"<y>"', newestRevision, bindings), ReferenceError);
});

test('a text that reads like a name is sent where it is written with one bracket more', () => {
  const sent = valueToSend('["<<any>","<<<any>","<<not one>>","<<"]', newestRevision, new Map());
  assert.deepEqual(sent, ['<any>', '<<any>', '<<not one>>', '<<']);
});

test('a name keeps no value from a line that did not match', () => {
  const bindings = new Map<string, unknown>();
  assert.equal(differences('{"a":"<x>","b":1}', { a: 1, b: 2 }, newestRevision, bindings).length, 1);
  assert.equal(bindings.size, 0);
});

test('$revision is the date of the revision that plays', () => {
  assert.equal(valueToSend('"$revision"', find('2025-06-18'), new Map()), '2025-06-18');
  assert.deepEqual(differences('"$revision"', '2025-06-18', find('2025-06-18'), new Map()), []);
});
