import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { StoreFault } from '../../../packages/parley/src/testing/store/checks.ts';
import { testStore, type TestStoreOptions } from '../../../packages/parley/src/testing/test-store.ts';
import { inWorld } from '../globals.ts';
import { Process, World } from '../world.ts';
import { SharedStore } from './shared-store.ts';

/** As many as a world of few events takes in a moment. */
const options: TestStoreOptions = { races: 200, histories: 20, seed: 1 };

/** What befalls the store of a schedule; each ends by itself. */
const faults: readonly Befalling[] = [
  { title: 'it is away', befall: (store) => store.away(3_000) },
  { title: 'it falters', befall: (store) => store.falter(3_000) },
  { title: 'it is emptied', befall: (store) => store.empty() },
  { title: 'a replica takes over', befall: (store) => store.takeOver() },
  { title: 'a process hears nothing of it', befall: (store, process) => store.deafen(process, 3_000) },
];

interface Befalling {
  readonly title: string;
  /** @param process The second of those that use it. */
  befall(store: SharedStore, process: Process): void;
}

for (const slowStore of [false, true])
  describe(`the store of simulated processes${slowStore ? ' that is slow' : ''}`, () => {
    /** The one of the test that runs. */
    let shared: SharedStore;
    let processes: readonly Process[] = [];
    let world: World;
    const befalling = faults.map(({ title, befall }): StoreFault => ({
      title,
      begin() {
        const [, other] = processes;
        if (other !== undefined) befall(shared, other);
        return () => undefined;
      },
    }));
    const open = (count: number) => {
      processes = Array.from({ length: count }, (_, at) => new Process(`process ${at}`));
      return { stores: processes.map((process) => shared.of(process)), close: () => world.end() };
    };
    for (const { title, run } of testStore(open, { ...options, faults: befalling }))
      test(title, async () => {
        world = new World(1);
        shared = new SharedStore(world, { seed: 1, slowStore, service: 'plain' }, { state: () => {} });
        await inWorld(world, async () => {
          const outcomes: unknown[] = [];
          const over = (outcome: unknown): void => void outcomes.push(outcome);
          // Whoever tests is a process too: what its waits lead to comes before the next event.
          world.later(0, new Process('test'), () => void run().then(() => over('passed'), over));
          await world.run();
          assert.deepEqual(outcomes, ['passed']);
        });
      });
  });
