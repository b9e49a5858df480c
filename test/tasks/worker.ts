/**
 * A process that works on the tasks of a store until there are none. It says `claimed` and the ids, and waits for a line before it goes on; then `done` or
 * `lost` and an id, or that the store is `away`.
 */

import { createInterface } from 'node:readline';
import { openStore } from './stores.ts';

const [kind = '', place = '', queue = '', leaseTtlMs = ''] = process.argv.slice(2);
const { store, close } = openStore(kind, place);
const say = (...words: readonly string[]): void => void process.stdout.write(`${words.join(' ')}\n`);
const lines = createInterface({ input: process.stdin })[Symbol.asyncIterator]();

while (await working());
await close();
process.exit();

/** Works on some tasks; gives false when there are none any more. A store that is away for a while is asked again. */
async function working(): Promise<boolean> {
  try {
    const tasks = await store.claim(queue, { node: String(process.pid), forMs: Number(leaseTtlMs), most: 3 });
    if (tasks.length > 0) {
      say('claimed', ...tasks.map(({ id }) => id));
      // Without whoever started it there is nobody to work for.
      if ((await lines.next()).done === true) return false;
    }
    for (const task of tasks) {
      const ended = { ...task, version: task.version + 1, open: false, dueInMs: undefined, text: `${task.text}+` };
      say((await store.swap(ended)) ? 'done' : 'lost', task.id);
    }
    if (tasks.length > 0) return true;
    const listed = await store.list({ queue, owner: '' }, undefined, 1_000);
    return listed.some(({ open }) => open);
  } catch {
    say('away');
    return true;
  }
}
