/** The sessions of a merged bridge, and the log level that its servers have for them. */

import assert from 'node:assert/strict';
import { describe, test, type TestContext } from 'node:test';
import { settle } from '../../../../../test/support/raw.ts';
import type { Call } from '../../server/runtime/call.ts';
import type { ServerSession } from '../../server/runtime/server-core.ts';
import { McpError } from '../../protocol/error.ts';
import type { Single } from '../single/single.ts';
import { MergedSessions } from './sessions.ts';
import type { Backend } from './backend.ts';

function scene(t: TestContext) {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const log: unknown[] = [];
  const sessions = new MergedSessions((message) => void log.push(message));
  const slotOf = (name: string, setLevel?: () => Promise<void>): Backend => {
    const handler = async ({ level }: { level: string }) => (log.push(`${name} ${level}`), await setLevel?.(), {});
    const host = {
      capabilities: () => (setLevel === undefined ? {} : { logging: {} }),
      handler: () => handler,
      opened: () => void log.push(`${name} opened`),
      closed: () => void log.push(`${name} closed`),
    };
    return { single: { host } } as unknown as Backend;
  };
  const session = { state: {}, notify: (method: string) => void log.push(method) } as unknown as ServerSession;
  const setLevel = (backends: readonly Backend[], of: ServerSession | undefined = session): Promise<object> =>
    sessions.setLevel(backends, { level: 'info' }, { session: of } as Call);
  return { sessions, slotOf, session, setLevel, took: () => log.splice(0), absent: { single: undefined } as Backend };
}

const fine = async (): Promise<void> => undefined;
const refusing = (error: Error) => (): Promise<void> => Promise.reject(error);
const no = new McpError('invalidParams', 'no such level');

test('a session is announced to the servers that are there, and to those that come, with its level', async (t) => {
  const { sessions, slotOf, session, setLevel, took, absent } = scene(t);
  const [a, quiet, late] = [slotOf('a', fine), slotOf('quiet'), slotOf('late', fine)];
  sessions.opened(session, [a, absent]);
  assert.deepEqual(took(), ['a opened']);
  sessions.joined(quiet.single as Single);
  assert.deepEqual(took(), ['quiet opened']);
  assert.deepEqual(await setLevel([a, quiet, absent]), {});
  assert.deepEqual(took(), ['a info']);
  sessions.joined(late.single as Single);
  sessions.joined(quiet.single as Single);
  assert.deepEqual(took(), ['late opened', 'late info', 'quiet opened']);
  sessions.tell('notifications/tools/list_changed');
  assert.deepEqual(took(), ['notifications/tools/list_changed']);
  sessions.closed(session, [a, absent]);
  sessions.tell('notifications/tools/list_changed');
  sessions.joined(late.single as Single);
  assert.deepEqual(took(), ['a closed']);
});

describe('a log level', () => {
  test('is refused if every server refuses it, and warned of for each if only some do', async (t) => {
    const { slotOf, setLevel, took } = scene(t);
    const warning = 'the log level could not be set: no such level';
    await assert.rejects(setLevel([slotOf('a', refusing(no)), slotOf('b', refusing(no))]), no);
    assert.deepEqual(took(), ['a info', 'b info']);
    for (const backends of [
      [slotOf('a', refusing(no)), slotOf('b', fine)],
      [slotOf('a', refusing(new Error('no such level')))],
    ]) {
      assert.deepEqual(await setLevel(backends), {});
      await settle();
      assert.equal(took().at(-1), warning);
    }
    assert.deepEqual([await setLevel([]), took()], [{}, []]);
  });

  test('is set 50 ms after a server took it, and after 10 s if none did; later refusals are warned of', async (t) => {
    const { slotOf, setLevel, took } = scene(t);
    for (const [others, ms] of [
      [[fine], 50],
      [[], 10_000],
    ] as const) {
      let refuse!: (error: Error) => void;
      const slow = slotOf('slow', () => new Promise((_, reject) => (refuse = reject)));
      let isSet = false;
      const set = setLevel([slow, ...others.map((one) => slotOf('quick', one))]).then(() => (isSet = true));
      await settle();
      t.mock.timers.tick(ms - 1);
      await settle();
      assert.equal(isSet, false);
      t.mock.timers.tick(1);
      await set;
      took();
      refuse(no);
      await settle();
      assert.deepEqual(took(), ['the log level could not be set: no such level']);
    }
  });

  test('that a server refuses when it comes is warned of', async (t) => {
    const { sessions, slotOf, session, setLevel, took } = scene(t);
    sessions.opened(session, []);
    await setLevel([]);
    sessions.joined(slotOf('a', refusing(no)).single as Single);
    await settle();
    assert.equal(took().at(-1), 'the log level could not be set: no such level');
  });
});
