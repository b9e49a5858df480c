/** Plans by which something failed once, as they were: what seeds stand for changes with what plans can have. */

import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { outcomes } from './outcomes.ts';
import type { Plan } from './plan.ts';

interface Found {
  readonly title: string;
  readonly plan: Plan;
}

const folder = new URL('../found/', import.meta.url);

for (const file of readdirSync(folder)) {
  const { title, plan } = JSON.parse(readFileSync(new URL(file, folder), 'utf8')) as Found;
  test(`${title}, by the plan of seed ${plan.seed} for ${plan.nodes} processes`, async () => {
    const { failures } = await outcomes(plan);
    assert.deepEqual(failures, []);
  });
}
