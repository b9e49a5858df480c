import assert from 'node:assert/strict';
import { test } from 'node:test';
import { metaKey } from '../../protocol/meta.ts';
import type { ToolContext } from '../definition/tool-context.ts';
import { createServer } from '../server.ts';
import { dates, open } from '../../../../../test/support/raw.ts';

for (const date of dates) {
  test(`a call whose handler returned at once sends nothing more, like any other, in ${date}`, async () => {
    const server = createServer({ name: 's', version: '1' });
    let last: ToolContext | undefined;
    server.tool('t', {}, (_args, ctx) => {
      last = ctx;
      ctx.progress(1);
      return 'done';
    });
    const client = await open(server, date, { meta: { [metaKey.logLevel]: 'debug' } });
    // The arguments of the first call wait for the schema; those of the second are checked at once.
    for (const time of ['first', 'second']) {
      await client.result('tools/call', { name: 't', _meta: { progressToken: time } });
      assert.equal(client.take().length, 1, time);
      last?.progress(2);
      last?.log('error', 'too late');
      assert.deepEqual(client.take(), [], time);
    }
  });
}
