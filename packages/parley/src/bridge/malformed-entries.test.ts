/** Entries of lists that are malformed: no list breaks for them, and each is warned about once. */

import assert from 'node:assert/strict';
import { it } from 'node:test';
import { bridgeTo } from '../../../../test/support/bridged.ts';
import { open, type Json } from '../../../../test/support/raw.ts';
import { scriptedUpstream } from '../../../../test/support/scripted-upstream.ts';
import { revisions } from '../protocol/revision.ts';

const inputSchema = { type: 'object' };
/** Of each list, the method, the field, an entry that is good, and some that are not. */
const lists: readonly (readonly [method: string, field: string, good: Json, bad: readonly unknown[]])[] = [
  [
    'tools/list',
    'tools',
    { name: 'good', inputSchema },
    [
      { name: 'bad' },
      { name: 'null', inputSchema: null },
      { name: 'text', description: 5, inputSchema },
      { inputSchema },
      7,
      null,
    ],
  ],
  ['resources/list', 'resources', { uri: 'memo:a', name: 'good' }, [{ uri: 'memo:bad' }, { name: 'bad' }, 7, null]],
  ['resources/templates/list', 'resourceTemplates', { uriTemplate: 'memo:{a}', name: 'good' }, [{ name: 'bad' }, 7]],
  ['prompts/list', 'prompts', { name: 'good' }, [{ name: 'bad', arguments: [{}] }, { name: 4 }, 7]],
];
const answers = Object.fromEntries(lists.map(([method, field, good, bad]) => [method, { [field]: [...bad, good] }]));
const count = lists.reduce((sum, [, , , bad]) => sum + bad.length, 0);

for (const up of ['2025-06-18', '2026-07-28'] as const)
  it(`malformed entries of a server at ${up} break no list, and are warned about once`, async (t) => {
    const warnings: string[] = [];
    const bridge = await bridgeTo(t, scriptedUpstream({ up, answers }), { warnings });
    // Between equal versions they go on as they came.
    for (const { date: down } of revisions.filter(({ date }) => date !== up)) {
      const raw = await open(bridge, down);
      for (const [method, field] of lists) {
        const listed = (await raw.result(method))[field];
        assert.ok(Array.isArray(listed), method);
        assert.equal(Object(listed.at(-1))['name'], 'good', method);
        assert.equal(listed.length, 1, `${method} at ${down}`);
      }
    }
    assert.deepEqual(
      warnings.filter((one, at) => warnings.indexOf(one) !== at),
      [],
    );
    // Two entries with the same fault and without a name are one warning.
    assert.ok(warnings.length > count - 4 && warnings.length <= count, warnings.join('\n'));
    for (const name of ['"bad"', '"null"', '"text"', '"memo:bad"'])
      assert.ok(
        warnings.some((one) => one.includes(`${name} is malformed`)),
        name,
      );
  });
