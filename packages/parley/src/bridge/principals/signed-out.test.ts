/** What a client is answered while its person is not signed in at the server. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { metaKey } from '../../protocol/meta-key.ts';
import { signedInResult, signedOutResult, SignedOutListens } from './signed-out.ts';

const signIn = { name: 'Files', requester: 'the bridge' } as never;

/** A call whose stream the test can abort. */
function callOf() {
  const sent: (readonly [string, unknown])[] = [];
  const ends: (() => void)[] = [];
  const call = {
    requestId: 7,
    send: (method: string, params: unknown) => sent.push([method, params]),
    onAbort: (run: () => void) => ends.push(run),
    onLeave: (run: () => void) => ends.push(run),
  };
  return { call: call as never, sent, leave: (at: number) => ends[at]?.() };
}

const _meta = { [metaKey.subscriptionId]: 7 };
const acknowledged = 'notifications/subscriptions/acknowledged';

test('lists are empty and private, but for the tool that signs in', () => {
  const nobody = { ttlMs: 0, cacheScope: 'private' };
  assert.deepEqual(signedOutResult('prompts/list', signIn), { ...nobody, prompts: [] });
  assert.deepEqual(signedOutResult('resources/list', signIn), { ...nobody, resources: [] });
  assert.deepEqual(signedOutResult('resources/templates/list', signIn), { ...nobody, resourceTemplates: [] });
  assert.deepEqual(signedOutResult('completion/complete', signIn), { completion: { values: [] } });
  assert.equal(signedOutResult('tools/call', signIn), undefined);
  const { tools, ...hint } = signedOutResult('tools/list', signIn) as { tools: [Record<string, unknown>] };
  assert.deepEqual(hint, nobody);
  assert.deepEqual([tools.length, tools[0]['name'], tools[0]['title']], [1, 'sign_in', 'Sign in at Files']);
  assert.deepEqual(tools[0]['annotations'], {
    readOnlyHint: false,
    destructiveHint: false,
    idempotentHint: true,
    openWorldHint: true,
  });
  assert.match(JSON.stringify(signedInResult(signIn)), /signed in at Files/);
});

test('a stream acknowledges the lists that it was asked for, which change when the person signs in', async () => {
  const listens = new SignedOutListens();
  const { call, sent } = callOf();
  const ended = listens.listen(call, {
    toolsListChanged: true,
    promptsListChanged: false,
    resourceSubscriptions: ['a:b'],
  });
  assert.deepEqual(sent.splice(0), [[acknowledged, { notifications: { toolsListChanged: true }, _meta }]]);
  listens.end();
  assert.deepEqual(await ended, { _meta });
  assert.deepEqual(sent.splice(0), [['notifications/tools/list_changed', { _meta }]]);
  listens.end();
  assert.deepEqual(sent, []);
});

test('a stream that its client left ends, and hears of nothing more', async () => {
  for (const way of [0, 1]) {
    const listens = new SignedOutListens();
    const { call, sent, leave } = callOf();
    const ended = listens.listen(call, { toolsListChanged: true });
    leave(way);
    assert.deepEqual(await ended, { _meta });
    listens.end();
    assert.equal(sent.length, 1);
  }
});
