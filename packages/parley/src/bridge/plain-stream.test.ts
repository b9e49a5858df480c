/** A server behind a bridge that is reached over a stream, and is no process that the bridge starts. */

import assert from 'node:assert/strict';
import { it } from 'node:test';
import { bridgeTo, clientOf, lineOver, serverAt } from '../../../../test/support/bridged.ts';
import { memoryTransport } from '../testing/memory-transport.ts';

for (const { ownsProcess, tried } of [
  { ownsProcess: false, tried: 'is tried anew for each call' },
  { ownsProcess: true, tried: 'rests before it is started again' },
]) {
  it(`a server that cannot be reached ${tried}, ${ownsProcess ? 'as a process' : 'over a stream'}`, async (t) => {
    const server = serverAt('2025-11-25');
    server.tool('hello', {}, () => 'hello');
    const line = lineOver({ ...memoryTransport(server), ownsProcess });
    const warnings: string[] = [];
    const bridge = await bridgeTo(t, line.transport, { warnings });
    const client = await clientOf(t, bridge, '2026-07-28');
    await client.callTool('hello');
    line.down = true;
    line.cut();
    for (let count = 0; count < 6; count++) await assert.rejects(client.callTool('hello'));
    // The operator hears of it; what the words of a transport hold is nothing for a client.
    assert.equal(/started again in/.test(warnings.join('\n')), ownsProcess);
  });
}
