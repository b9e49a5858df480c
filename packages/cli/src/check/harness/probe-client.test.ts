import assert from 'node:assert/strict';
import { test } from 'node:test';
import { newestRevision } from '../../../../parley/src/protocol/revision.ts';
import { listedRules } from '../rules/common/listed.ts';
import { isProbe } from '../rule.ts';
import { Watching } from '../watching.ts';
import type { RawExchange } from './exchange.ts';
import type { RawLines } from './lines.ts';
import { ProbeClient } from './probe-client.ts';

const nothing: RawExchange = {
  sent: '',
  status: undefined,
  headers: {},
  text: '',
  messages: [],
  malformed: [],
  end: 'silent',
};

/** A process that says one thing after the other, whatever it is asked. */
function saying(...answers: readonly (readonly object[])[]): RawLines {
  const left = [...answers];
  return {
    unasked: [],
    ended: undefined,
    exited: new Promise(() => {}),
    send: () => Promise.resolve({ ...nothing, messages: left.shift() ?? [] }),
    write: () => undefined,
    endInput: () => undefined,
    close: () => Promise.resolve(),
  };
}

test('a call that was given up may tell of its progress later, and one that nobody made may not', async () => {
  const progress = (progressToken: string): object => ({
    jsonrpc: '2.0',
    method: 'notifications/progress',
    params: { progressToken, progress: 1 },
  });
  const rules = listedRules.filter((rule) => rule.id === 'progress-005' && !isProbe(rule));
  const verdicts: string[] = [];
  for (const told of ['slow', 'strange']) {
    const watching = new Watching(rules);
    const probeClient = new ProbeClient({
      info: { name: 'parley-check', version: '1' },
      revision: newestRevision,
      road: { over: 'stdio', lines: saying([], [progress(told)]) },
      capabilities: {},
      waitTimeoutMs: 1,
      openMs: 1,
      quietMs: 1,
      exchanged: (exchange, about) => watching.heard(exchange, about),
      room: () => Promise.resolve(),
      mayCall: () => true,
    });
    await probeClient.request('tools/call', { name: 'slow', _meta: { progressToken: 'slow' } });
    await probeClient.request('server/discover');
    verdicts.push(...watching.outcomes([newestRevision]).map(({ outcome }) => outcome.verdict));
  }
  assert.deepEqual(verdicts, ['holds', 'breaks']);
});
