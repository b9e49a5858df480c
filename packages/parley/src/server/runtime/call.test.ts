import assert from 'node:assert/strict';
import { test } from 'node:test';
import { dates, open } from '../../../../../test/support/raw.ts';
import { served, call } from '../../../../../test/support/run-tool.ts';
import type { RevisionDate } from '../../protocol/revision.ts';

test('a handler sees who asks, in which revision and under which id', async () => {
  let seen: unknown;
  const server = served(({ requestId, revision, client, auth, meta }) => {
    seen = {
      requestId,
      revision,
      info: client.info,
      roots: client.supports('roots'),
      elicitation: client.supports('elicitation.form'),
      auth,
      trace: meta['com.example/trace'],
    };
  });
  for (const date of dates satisfies readonly RevisionDate[]) {
    const raw = await open(server, date, { capabilities: { roots: {} } });
    await raw.result('tools/call', { ...call, _meta: { 'com.example/trace': 't' } }, 'mine');
    assert.deepEqual(seen, {
      requestId: 'mine',
      revision: date,
      info: { name: 'raw', version: '1' },
      roots: true,
      elicitation: false,
      auth: undefined,
      trace: 't',
    });
  }
});
