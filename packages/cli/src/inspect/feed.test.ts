import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Feed } from './feed.ts';
import type { FeedLine } from './view.ts';

function heard(feed: Feed, since = 0): FeedLine[] {
  const lines: FeedLine[] = [];
  const write = (line: string): number => {
    lines.push(JSON.parse(line));
    return 0;
  };
  feed.listen({ write, end() {} }, since);
  return lines;
}

test('a burst of rows, of lines of a log and of counts is told in a few lines, with nothing lost', (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const feed = new Feed();
  const lines = heard(feed);
  for (let n = 1; n <= 1_000; n += 1) {
    feed.row({ n, t: n, s: 'A', c: 1, from: 'server', lane: 'message', what: 'x', bytes: 1 });
    feed.log({ server: 'A', t: n, level: 'info', text: `line ${n}` });
    feed.left({ kind: 'left', server: 'A', entries: n, last: n });
  }
  t.mock.timers.tick(1_000);
  assert.ok(lines.length <= 5, `${lines.length} lines`);
  const logs = lines.flatMap((line) => (line.kind === 'logs' ? line.logs : []));
  const rows = lines.flatMap((line) => (line.kind === 'rows' ? line.rows : []));
  assert.deepEqual([logs.length, rows.length], [1_000, 1_000]);
  assert.deepEqual(
    lines.filter(({ kind }) => kind === 'left'),
    [{ kind: 'left', server: 'A', entries: 1_000, last: 1_000 }],
  );
  feed.close();
});

test('whoever comes later gets the newest lines of the logs, and the count', (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const feed = new Feed();
  for (let n = 1; n <= 3_000; n += 1) feed.log({ server: 'A', t: n, level: 'info', text: `line ${n}` });
  feed.left({ kind: 'left', server: 'A', entries: 7, last: 9 });
  const lines = heard(feed);
  t.mock.timers.tick(1_000);
  const logs = lines.flatMap((line) => (line.kind === 'logs' ? line.logs : []));
  assert.deepEqual([logs.length, logs[0]?.text, logs.at(-1)?.text], [2_000, 'line 1001', 'line 3000']);
  assert.equal(lines.filter(({ kind }) => kind === 'left').length, 1);
  feed.close();
});

const rowsIn = (lines: readonly FeedLine[]): readonly number[] =>
  lines.flatMap((line) => (line.kind === 'rows' ? line.rows.map(({ n }) => n) : []));

function row(feed: Feed, n: number): void {
  feed.row({ n, t: n, s: 'A', c: 1, from: 'server', lane: 'message', what: 'x', bytes: 1 });
}

test('a page that heard a part of the rows gets the others when it comes back', (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const feed = new Feed();
  for (let n = 1; n <= 1_200; n += 1) row(feed, n);
  // It changed, and is told with the newest.
  row(feed, 1);
  const lines = heard(feed);
  const [first] = lines.filter((line) => line.kind === 'rows');
  const rest = heard(feed, first?.version);
  assert.equal(new Set([...rowsIn(first === undefined ? [] : [first]), ...rowsIn(rest)]).size, 1_200);
  t.mock.timers.tick(1_000);
  row(feed, 2);
  row(feed, 1_201);
  row(feed, 2);
  t.mock.timers.tick(1_000);
  assert.deepEqual(rowsIn(lines.slice(-1)), [1_201, 2]);
  feed.close();
});

test('a page that was away while all rows were forgotten forgets them too', (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const feed = new Feed();
  row(feed, 1);
  const before = heard(feed).flatMap((line) => (line.kind === 'rows' ? [line.version] : []));
  feed.clear();
  row(feed, 2);
  t.mock.timers.tick(1_000);
  const back = heard(feed, before.at(-1));
  assert.deepEqual(
    back.map(({ kind }) => kind),
    ['cleared', 'rows'],
  );
  assert.deepEqual(rowsIn(back), [2]);
  assert.deepEqual(rowsIn(heard(feed, back.flatMap((line) => (line.kind === 'rows' ? [line.version] : []))[0])), []);
  feed.close();
});
