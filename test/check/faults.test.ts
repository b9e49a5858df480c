/** Each planted fault is found in its row, and nothing is found in the server that they are planted in. */

import assert from 'node:assert/strict';
import { describe, test, type TestContext } from 'node:test';
import { rawHttp } from '../../src/check/bench/http.ts';
import { checkServer } from '../../src/check/check.ts';
import type { CheckReport } from '../../src/check/report.ts';
import { faults } from './faults.ts';
import { faulty, type Fault } from './faulty.ts';

async function judged(t: TestContext, fault: Fault, only: readonly string[] = []): Promise<CheckReport> {
  const url = await faulty(t, fault);
  const http = rawHttp(new URL(url), {});
  t.after(() => http.close());
  const info = { name: 'parley-check', version: '1.0.0' };
  return await checkServer({ way: { over: 'http', http }, target: url, info, only, isNear: true, signal: t.signal });
}

test('nothing is found in the server without a fault', async (t) => {
  assert.deepEqual((await judged(t, {})).findings, []);
});

describe('a server with one fault', { concurrency: 2 }, () => {
  for (const [name, [row, fault]] of Object.entries(faults))
    test(`is found out: ${name} breaks ${row}`, async (t) => {
      const { findings, rows } = await judged(t, fault, [row]);
      assert.deepEqual(
        findings.map(({ id }) => id),
        [row],
        JSON.stringify(rows),
      );
    });
});
