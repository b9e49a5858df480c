/** What whoever drives a client is asked to do is ticked off when it was done as it was said, and not before. */

import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { checkClient } from '../../packages/cli/src/check/client/run/check-client.ts';
import { stepsDone, stepsMissing } from '../../packages/cli/src/check/client/run/guide.ts';
import { ClientSession } from '../../packages/cli/src/check/client/client-session.ts';
import { connect, McpError } from '../../packages/parley/src/client.ts';
import type { Client, ConnectOptions } from '../../packages/parley/src/client.ts';
import { revisionOf } from '../../packages/parley/src/protocol/revision.ts';

/** Steps that are ticked off, and those that are missing in the end, of a client that calls tools. */
async function ticked(
  t: TestContext,
  calls: readonly (readonly [tool: string, given: object])[],
  options: ConnectOptions = {},
  more: (client: Client) => Promise<void> = () => Promise.resolve(),
): Promise<{ readonly done: ReadonlySet<string>; readonly missing: string }> {
  let done: ReadonlySet<string> = new Set();
  const { missing = [] } = await checkClient({
    door: { port: 0 },
    info: { name: 'parley-check', version: '1.0.0' },
    limitMs: 60_000,
    signal: t.signal,
    onStep: (steps) => (done = steps),
    async onOpen(origin) {
      const client = await connect(`${origin}/mcp`, options);
      await client.listTools();
      for (const [tool, given] of calls) await client.callTool(tool, { ...given });
      await more(client);
      await client.close();
    },
  });
  return { done, missing: missing.join('\n') };
}

for (const revision of ['2025-11-25', '2026-07-28']) {
  const revisions = [revision];
  const onElicit = () => ({ action: 'accept', content: { name: 'Ada' } }) as const;

  test(`a client of ${revision} that calls echo with nothing to say has not done that`, async (t) => {
    const empty = await ticked(t, [['echo', {}]], { revisions });
    assert.deepEqual([empty.done.has('list'), empty.done.has('echo')], [true, false]);
    assert.match(empty.missing, /call the tool echo/);
    const said = await ticked(t, [['echo', { text: 'hello' }]], { revisions });
    assert.equal(said.done.has('echo'), true);
  });

  test(`a client of ${revision} that cannot answer has answered nothing, and none is missed`, async (t) => {
    const { done, missing } = await ticked(t, [['ask', {}]], { revisions });
    assert.equal(done.has('ask'), false);
    assert.doesNotMatch(missing, /call the tool ask/);
  });

  test(`a client of ${revision} that answers has done so`, async (t) => {
    const { done } = await ticked(t, [['ask', {}]], { revisions, onElicit });
    assert.equal(done.has('ask'), true);
  });
}

test('a client that declares forms and refuses the one that it is asked has not answered', async (t) => {
  const onElicit = (): never => {
    throw new McpError(-1, 'nobody is here');
  };
  const { done, missing } = await ticked(t, [['ask', {}]], { revisions: ['2025-11-25'], onElicit });
  assert.equal(done.has('ask'), false);
  assert.match(missing, /call the tool ask/);
});

test('a session was lost where it went, and another was begun in which echo and slow were called, and not before', async (t) => {
  const calls = [
    ['echo', { text: 'hello' }],
    ['slow', {}],
  ] as const;
  const kept = await ticked(t, calls, { revisions: ['2025-11-25'] });
  assert.equal(kept.done.has('lost'), false);
  assert.match(kept.missing, /where there is a tool lost/);
  const gone = await ticked(t, calls, { revisions: ['2025-11-25'] }, async (client) => {
    await assert.rejects(client.callTool('lost', {}));
    for (const [tool, given] of calls) await client.callTool(tool, { ...given });
  });
  assert.equal(gone.done.has('lost'), true);
  // Where there are no sessions none is lost, and none is missed.
  const none = await ticked(t, calls, { revisions: ['2026-07-28'] });
  assert.equal(none.done.has('lost'), false);
  assert.doesNotMatch(none.missing, /where there is a tool lost/);
});

test('a session that could have been lost is missed though another conversation has none', () => {
  const talks = ['2026-07-28', '2025-11-25'].map((date) => new ClientSession('http', revisionOf(date)));
  for (const { done } of talks) for (const call of ['call echo', 'call slow']) done.add(call);
  const isMissing = (some: readonly ClientSession[]): boolean => stepsMissing(some).some(({ id }) => id === 'lost');
  assert.deepEqual([isMissing(talks), isMissing(talks.slice(0, 1))], [true, false]);
});

test('a call that runs to its end was not given up', () => {
  const clientSession = new ClientSession('http');
  clientSession.done.add('answered endless');
  assert.equal(stepsDone([clientSession]).has('endless'), false);
  clientSession.done.add('gave up endless');
  assert.equal(stepsDone([clientSession]).has('endless'), true);
});
