import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ServiceListeners } from './listeners.ts';
import type { ServiceWatcher } from './watching.ts';

function watcher(name: string, log: string[]): { readonly watcher: ServiceWatcher } {
  const watching: Partial<ServiceWatcher> = {
    event: ({ type }) => void log.push(`${name} ${type}`),
    *telling(work) {
      log.push(`${name} begins`);
      for (let step = work.next(); step.done !== true; step = work.next()) yield step.value;
      log.push(`${name} ends`);
    },
  };
  return { watcher: watching as ServiceWatcher };
}

test('an event reaches the option and each watcher once, in order, and what does not watch is no listener', () => {
  const log: string[] = [];
  const listeners = new ServiceListeners(({ type }) => log.push(`option ${type}`));
  const [one, other] = [watcher('one', log), watcher('other', log)];
  for (const used of [one, () => undefined, other, one]) listeners.follow(used);
  listeners.tell?.({ type: 'stream-opened' });
  assert.deepEqual(log.splice(0), ['option stream-opened', 'one stream-opened', 'other stream-opened']);
  const steps = [...{ [Symbol.iterator]: () => listeners.watched([1, 2].values()) as IterableIterator<number> }];
  assert.deepEqual(steps, [1, 2]);
  assert.deepEqual(log, ['other begins', 'one begins', 'one ends', 'other ends']);
});

test('without the option there is nobody to tell until a watcher comes', () => {
  const log: string[] = [];
  const listeners = new ServiceListeners();
  listeners.follow('tools/call');
  assert.deepEqual([listeners.tell], [undefined]);
  listeners.follow(watcher('one', log));
  listeners.tell?.({ type: 'stream-ended' });
  assert.deepEqual([log, listeners.watchers.length], [['one stream-ended'], 1]);
});

test('an option that throws keeps no event from the watchers', () => {
  const log: string[] = [];
  const listeners = new ServiceListeners(() => {
    throw new Error('no');
  });
  listeners.follow(watcher('one', log));
  listeners.tell?.({ type: 'stream-ended' });
  assert.deepEqual(log, ['one stream-ended']);
});
