import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SharedWork, type Job } from './shared-work.ts';

/** Work that ends when it is told to, or when nobody waits for it any more. */
function work(): { readonly jobs: Job[]; end(): void; run(job: Job): Promise<void> } {
  const jobs: Job[] = [];
  const ends: (() => void)[] = [];
  return {
    jobs,
    end: () => ends.forEach((end) => end()),
    run(job) {
      jobs.push(job);
      return new Promise((resolve, reject) => {
        ends.push(resolve);
        // The reason is what the owner of the signal gave.
        job.signal.addEventListener('abort', () => setImmediate(() => reject(job.signal.reason as Error)));
      });
    },
  };
}

function waiter(): { readonly signal: AbortSignal; leave(): void } {
  const controller = new AbortController();
  return { signal: controller.signal, leave: () => controller.abort(new Error('left')) };
}

/** Has somebody begin work and leave it, and waits until it knows. */
async function leave(shared: SharedWork, { jobs, run }: ReturnType<typeof work>): Promise<void> {
  const first = waiter();
  const left = shared.join('work', first, run);
  left.catch(() => undefined);
  await begun();
  const ended = new Promise((resolve) => jobs[0]?.signal.addEventListener('abort', resolve));
  first.leave();
  await ended;
}

/** Waits until what was asked for has begun. */
function begun(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

test('who joins work that everybody else has just left has it begun anew', async () => {
  const shared = new SharedWork();
  const all = work();
  await leave(shared, all);
  const joined = shared.join('work', waiter(), all.run);
  await begun();
  await begun();
  assert.equal(all.jobs.length, 2);
  all.end();
  assert.equal(await joined, true);
});

test('who leaves while work that others left ends gets their own reason', async () => {
  const shared = new SharedWork();
  const all = work();
  await leave(shared, all);
  const second = waiter();
  const joined = shared.join('work', second, all.run);
  second.leave();
  await assert.rejects(joined, /left/);
});
