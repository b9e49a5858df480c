/** Questions that a server leaves open when its calls are over. */

import assert from 'node:assert/strict';
import { it } from 'node:test';
import { bridgeBefore, serverAt } from '../../../../../../test/support/bridged.ts';
import { hurried } from '../../../../../../test/support/hurried.ts';
import { open, settle, statelessDate } from '../../../../../../test/support/raw.ts';

it('a question that a call left behind takes no place of those of later calls', async (t) => {
  // The place of a question is free when it has waited 20 seconds for another call of its client.
  hurried(t, 30_000);
  const left: (() => void)[] = [];
  const server = serverAt('2025-11-25');
  server.tool('ask', {}, async (_, ctx) => {
    void ctx.elicit({ message: '?', schema: { type: 'object', properties: {} } }).catch(() => undefined);
    await new Promise<void>((resolve) => void left.push(resolve));
    return 'went on without';
  });
  const raw = await open(await bridgeBefore(t, server), statelessDate, { capabilities: { elicitation: { form: {} } } });
  for (let calls = 0; calls <= 100; calls++) {
    const { resultType } = await raw.result('tools/call', { name: 'ask' });
    assert.equal(resultType, 'input_required');
    for (const resolve of left.splice(0)) resolve();
    for (let turn = 0; turn < 5; turn++) await settle();
  }
});
