/** The page of what is measured says exactly what is. */

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import type { Attributes, Meter } from '@opentelemetry/api';
import { ServiceListeners } from '../../packages/parley/src/server/runtime/events/listeners.ts';
import { toldStore } from '../../packages/parley/src/server/runtime/events/observed-store.ts';
import { Service } from '../../packages/parley/src/telemetry/service.ts';
import { serviceInstrumentsOf } from '../../packages/parley/src/telemetry/service-instruments.ts';
import { memoryStore } from '../../packages/parley/src/storage/memory/store.ts';
import { root } from '../support/sources.ts';

const page = readFileSync(join(root, 'docs/observability.md'), 'utf8');

/** What is known of a metric: its kind, its unit, and the attributes that it was given. */
type Told = readonly [kind: string, unit: string, ...attributes: string[]];

function toldByPage(): Map<string, Told> {
  const rows = page.split('\n').filter((line) => line.startsWith('| `parley.'));
  return new Map(
    rows.map((row) => {
      const [name = '', kind = '', unit = '', attributes = ''] = row
        .split('|')
        .slice(1)
        .map((cell) => cell.trim());
      const unquoted = (text: string): string[] => [...text.matchAll(/`([^`]+)`/g)].map(([, word]) => String(word));
      return [String(unquoted(name)[0]), [kind, String(unquoted(unit)[0]), ...unquoted(attributes)]];
    }),
  );
}

/** Tells of one of each kind of happening. */
function tellEverything(service: Service): void {
  service.event({ type: 'session-opened', session: 1, revision: '2025-11-25', transport: 'tcp' });
  service.event({ type: 'stream-opened' });
  service.event({ type: 'stream-cut', reason: 'slow' });
  service.event({ type: 'request-refused', reason: 'busy', status: 503 });
  service.event({ type: 'bus-gap' });
  service.runs(1);
  service.parked(1);
  service.replayed(1);
  for (const _ of service.telling([1][Symbol.iterator]())) continue;
  assert.throws(() => service.asked('check', () => assert.fail('away')));
}

test('the page has each metric of our own with its kind, unit and attributes, and no other', () => {
  const made = new Map<string, Told>();
  const maker =
    (kind: string) =>
    (name: string, { unit = '' }: { unit?: string } = {}) => {
      made.set(name, [kind, unit]);
      const given = (_: number, attributes: Attributes = {}): void =>
        void made.set(name, [kind, unit, ...Object.keys(attributes)]);
      return { add: given, record: given };
    };
  // Only these three are made by it.
  const meter = {
    createUpDownCounter: maker('level'),
    createCounter: maker('counter'),
    createHistogram: maker('histogram'),
  } as unknown as Meter;
  const instruments = serviceInstrumentsOf(meter);
  tellEverything(new Service(() => instruments));
  assert.deepEqual(toldByPage(), made);
});

test('the page has everything that a store is asked', async () => {
  const asked: string[] = [];
  const inner = memoryStore();
  const listeners = new ServiceListeners();
  const watcher = new Service(() => assert.fail());
  watcher.asked = (operation, ask) => {
    asked.push(operation);
    return ask();
  };
  listeners.follow({ watcher });
  const { records, events, bus, limits, check } = toldStore(inner, listeners);
  await records.add('k', 't', 1000);
  await records.get('k');
  await records.put('k', 't', 1000);
  await records.touch('k', 1000);
  await records.delete('k');
  const log = events.open('session');
  await (await log.write('stream', '')).append('x');
  await log.read('stream', 0);
  await log.clear();
  await (
    await bus.subscribe(
      'c',
      () => undefined,
      () => undefined,
    )
  )();
  await bus.publish('c', 't');
  await limits.take('k', { perSecond: 1, burst: 1 });
  await check();
  const [, listed = ''] = /`op` is the operation of the store: (.*?)\. Operations on tasks/s.exec(page) ?? [];
  assert.deepEqual(new Set([...listed.matchAll(/`([^`]+)`/g)].map(([, operation]) => operation)), new Set(asked));
});
