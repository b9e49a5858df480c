/** Processes that must not outlive this one: nothing is started or ended here. */

import assert from 'node:assert/strict';
import type { ChildProcess } from 'node:child_process';
import { describe, test, type TestContext } from 'node:test';
import { endWithProcess, forget, hasGroup, signalTree, whenSignalled } from './process-tree.ts';

const child = (pid: number | undefined): ChildProcess => ({ pid }) as ChildProcess;

/** What would be killed; a process of which the system knows nothing cannot be. */
function killing(t: TestContext): unknown[] {
  const killed: unknown[] = [];
  t.mock.method(process, 'kill', (pid: number, signal: unknown) => {
    if (pid === -404) throw new Error('kill ESRCH');
    killed.push([pid, signal]);
    return true;
  });
  return killed;
}

const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** The listeners that came since something was counted. */
function listening(): readonly number[] {
  return ['exit', ...signals].map((event) => process.listenerCount(event));
}

test('a child is signalled with its group, and one that is gone is not', (t) => {
  const killed = killing(t);
  signalTree(child(7), 'SIGTERM');
  for (const pid of [undefined, 404]) signalTree(child(pid), 'SIGKILL');
  assert.deepEqual(killed.splice(0), [[-7, 'SIGTERM']]);
  assert.deepEqual(
    [7, 404, undefined].map((pid) => hasGroup(child(pid))),
    [true, false, false],
  );
});

test('a process listens for its end as long as a child lives, and kills it then', (t) => {
  const killed = killing(t);
  const before = listening();
  const [one, other] = [child(7), child(8)];
  endWithProcess(child(undefined));
  assert.deepEqual(listening(), before);
  endWithProcess(one);
  endWithProcess(other);
  assert.deepEqual(
    listening(),
    before.map((count) => count + 1),
  );
  for (const gone of [one, child(9), child(undefined)]) forget(gone);
  assert.deepEqual(
    listening(),
    before.map((count) => count + 1),
  );
  process.listeners('exit').at(-1)?.(0);
  assert.deepEqual(killed, [[-8, 'SIGKILL']]);
  forget(other);
  assert.deepEqual(listening(), before);
});

describe('a process with children that gets a signal', () => {
  /** A process with one child and other listeners; `passOn` is what listens for the child. */
  function signalled(t: TestContext) {
    const killed = killing(t);
    const log: unknown[] = [];
    t.mock.timers.enable({ apis: ['setTimeout'] });
    const one = child(7);
    endWithProcess(one);
    t.after(() => (t.mock.reset(), forget(one)));
    const passOn = process.listeners('SIGTERM').at(-1) ?? assert.fail('nobody listens');
    // Listeners of the test runner are none of this.
    const others: unknown[] = [passOn];
    t.mock.method(process, 'listeners', () => others);
    t.mock.method(process, 'removeAllListeners', (signal: unknown) => void log.push(`all of ${String(signal)}`));
    t.mock.method(process, 'off', (signal: unknown) => void log.push(signal));
    return { killed, log, others, passOn };
  }
  const ended = (signal: NodeJS.Signals): readonly unknown[] => [
    [-7, 'SIGKILL'],
    [process.pid, signal],
  ];

  test('ends its children first, then itself, and insists half a second later', (t) => {
    const { killed, log, passOn } = signalled(t);
    passOn('SIGTERM');
    assert.deepEqual([killed.splice(0), log.splice(0)], [ended('SIGTERM'), ['SIGTERM']]);
    t.mock.timers.tick(499);
    assert.deepEqual(killed, []);
    t.mock.timers.tick(1);
    assert.deepEqual([killed, log], [ended('SIGTERM'), ['all of SIGTERM']]);
  });

  test('leaves five seconds to others who listen', (t) => {
    const { killed, log, others, passOn } = signalled(t);
    others.push(() => undefined);
    passOn('SIGINT');
    t.mock.timers.tick(4_999);
    assert.deepEqual(killed, []);
    t.mock.timers.tick(1);
    assert.deepEqual([killed, log], [ended('SIGINT'), ['all of SIGINT']]);
  });

  test('calls who waits for a signal, once, until the last child has ended', (t) => {
    const { others, passOn } = signalled(t);
    others.push(() => undefined);
    const log: string[] = [];
    const note = (word: string) => () => void log.push(word);
    whenSignalled(note('removed'))();
    const remove = whenSignalled(note('waits'));
    passOn('SIGTERM');
    whenSignalled(note('comes later'))();
    remove();
    t.mock.reset();
    forget(child(7));
    whenSignalled(note('after the last child'))();
    assert.deepEqual(log, ['waits', 'comes later']);
  });

  for (const [emitter, isWaited] of [
    [{ count: 1 }, false],
    [{ count: 0 }, true],
    [{ count: '1' }, true],
    [{}, true],
    [null, true],
    ['count', true],
  ] as const)
    test(`${isWaited ? 'leaves' : 'leaves no'} time if signal-exit is ${JSON.stringify(emitter)}`, (t) => {
      const { killed, others, passOn } = signalled(t);
      others.push(() => undefined);
      const key = Symbol.for('signal-exit emitter');
      const before = Reflect.get(globalThis, key) as unknown;
      t.after(() =>
        before === undefined ? Reflect.deleteProperty(globalThis, key) : Reflect.set(globalThis, key, before),
      );
      Reflect.set(globalThis, key, emitter);
      passOn('SIGINT');
      assert.deepEqual(killed, isWaited ? [] : ended('SIGINT'));
    });
});
