/** A call that may be parked, and is over. */

import assert from 'node:assert/strict';
import { it } from 'node:test';
import { bridgeBefore, serverAt } from '../../../../../../test/support/bridged.ts';
import { open, settle, statelessDate } from '../../../../../../test/support/raw.ts';

for (const asks of [false, true])
  it(`a call that is over${asks ? ', and asked in its last turn,' : ''} is answered in its turn, so that no timer of it outlives its bridge`, async (t) => {
    let end = (): void => undefined;
    const server = serverAt('2025-11-25');
    server.tool('wait', {}, async (_, ctx) => {
      await new Promise<void>((resolve) => (end = resolve));
      const form = { message: '?', schema: { type: 'object', properties: {} } } as const;
      if (asks) void ctx.elicit(form).catch(() => undefined);
      return 'done';
    });
    const bridge = await bridgeBefore(t, server);
    const raw = await open(bridge, statelessDate, { capabilities: { elicitation: { form: {} } } });
    let answer: unknown;
    const answered = raw.result('tools/call', { name: 'wait' }).then(({ content }) => (answer = content));
    await settle();
    t.mock.timers.enable({ apis: ['setTimeout'] });
    end();
    for (let turn = 0; turn < 10; turn++) await settle();
    const inTurn = answer;
    t.mock.timers.tick(1);
    t.mock.timers.reset();
    await answered;
    assert.deepEqual(inTurn, [{ type: 'text', text: 'done' }]);
  });
