import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checkServer } from 'parley-mcp/check';
import { createServer } from 'parley-mcp/server';

test('the server breaks no rule that can be seen from outside', async () => {
  const server = createServer({ name: 'weather', version: '1.0.0' });
  server.tool('forecast', { description: 'Tells the weather.' }, () => 'sunny');
  // No tool is called but those that are named. `only` narrows it down, here to some seconds.
  const report = await checkServer(server, { calls: ['forecast'], only: ['tools', 'ping'] });
  assert.ok(report.counts.judged > 0);
  assert.deepEqual(
    report.findings.filter(({ severity }) => severity === 'error'),
    [],
  );
  await server.close();
});
