/** A client that lives on holds nothing of a request that is over, whichever way it ended. */

import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { heldOf, type Watched } from '../../../../test/support/collected.ts';
import { connected, type Connected } from '../../../../test/support/connected-client.ts';
import { ConnectionError } from '../jsonrpc/transport.ts';
import type { ScriptedKind, Script, SentMessage } from '../testing/scripted.ts';

interface Given {
  readonly signal: AbortSignal;
  abort(): void;
  readonly onProgress: () => void;
}

/** Ends of one call, by the name of the tool that is called. */
const ends: Readonly<Record<string, (one: Connected, given: Given) => Promise<unknown>>> = {
  result: ({ client }, given) => client.callTool('result', {}, given),
  progress: ({ client }, given) => client.callTool('progress', {}, given),
  error: ({ client }, given) => client.callTool('error', {}, given),
  malformed: ({ client }, given) => client.callTool('malformed', {}, given),
  unsent: ({ client }, given) => client.callTool('unsent', {}, given),
  timeout: ({ client }, given) => client.callTool('silent', {}, { ...given, timeoutMs: 1 }),
  aborted: async ({ client }, { abort, ...given }) => {
    const call = client.callTool('silent', {}, given);
    setImmediate(abort);
    return await call;
  },
  'aborted before': ({ client }, { abort, ...given }) => {
    abort();
    return client.callTool('silent', {}, given);
  },
  'without result': ({ client }, given) => client.request('tools/call', { name: 'silent' }, { ...given, timeoutMs: 1 }),
};

const script: Script = (sent, peer) => {
  const { id, params } = sent.message as {
    id?: number;
    params?: { name?: string; _meta?: { progressToken?: number } };
  };
  if (id === undefined) return undefined;
  const progressToken = params?._meta?.progressToken;
  const result = { content: [], resultType: 'complete' };
  const progress = { jsonrpc: '2.0', method: 'notifications/progress', params: { progressToken, progress: 1 } };
  const { name } = params ?? {};
  if (name === 'progress') peer.within(sent, progress);
  if (name === 'progress' || name === 'result') peer.reply(sent, result);
  if (name === 'error') peer.refuse(sent, { code: -32603, message: 'no' });
  if (name === 'malformed') peer.within(sent, { jsonrpc: '2.0', id, result: 1 });
  if (name === 'unsent') peer.fail(new ConnectionError('refused', 'not taken'));
};

for (const revision of ['2025-11-25', '2026-07-28'])
  for (const kind of ['stdio', 'http'] satisfies ScriptedKind[])
    test(`a client holds nothing of a call that is over, over ${kind} in ${revision}`, async (t: TestContext) => {
      const one = await connected(script, { revision, kind });
      t.after(() => one.client.close());
      const watched: Watched = new Map();
      for (const name of Object.keys(ends)) await ended(one, name, watched);
      // The record of the transport holds the signals of exchanges, whose reasons name what they ended.
      (one.transport.sent as SentMessage[]).length = 0;
      assert.deepEqual(await heldOf(watched), []);
      assert.equal(one.client.revision, revision);
    });

/** Nothing here may hold what is watched. */
async function ended(one: Connected, name: string, watched: Watched): Promise<void> {
  const controller = new AbortController();
  const onProgress = (): void => void name;
  watched.set(`the signal of ${name}`, new WeakRef(controller.signal));
  watched.set(`the listener of ${name}`, new WeakRef(onProgress));
  await ends[name]?.(one, { signal: controller.signal, abort: () => controller.abort(), onProgress }).catch(
    () => undefined,
  );
}
