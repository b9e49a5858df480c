import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Feed } from './feed.ts';
import type { FeedLine } from './view.ts';

function heard(feed: Feed): FeedLine[] {
  const lines: FeedLine[] = [];
  const write = (line: string): number => {
    lines.push(JSON.parse(line));
    return 0;
  };
  feed.listen({ write, end() {} }, 0);
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
