import assert from 'node:assert/strict';
import { test } from 'node:test';
import { newestRevision } from '../../../../../parley/src/protocol/revision.ts';
import type { HeardMessage } from '../../rule.ts';
import { apartOnPage, listedRules } from './listed.ts';

/** A list of tools, as it is heard; each look at a name is told. */
function heard(names: readonly string[], looked: () => void = () => undefined): HeardMessage {
  const tools = names.map((name) => ({
    get name() {
      looked();
      return name;
    },
    inputSchema: { type: 'object' },
  }));
  return {
    message: { jsonrpc: '2.0', id: 1, result: { tools } },
    sent: undefined,
    request: { method: 'tools/list' },
    revision: newestRevision,
    capabilities: {},
    exchange: { sent: '', status: 200, headers: {}, text: '', messages: [], malformed: [], end: 'complete' },
  };
}

test('the second of two tools with one name is found', () => {
  const found = apartOnPage.watch(heard(['add', 'book', 'add']));
  assert.deepEqual(found, { breaks: 'add: it is listed more than once', where: 'tools/add' });
  assert.equal(apartOnPage.watch(heard(['add', 'Add'])), 'holds');
  assert.equal(apartOnPage.watch(heard([])), 'not-seen');
});

test('every rule about tools looks at each a few times, however many are listed', () => {
  const names = Array.from({ length: 2_000 }, (_, at) => `tool-${at}`);
  for (const { id, watch } of [...listedRules, apartOnPage]) {
    let looks = 0;
    watch(heard(names, () => looks++));
    assert.ok(looks <= 4 * names.length, `${id} looked ${looks} times`);
  }
});
