/**
 * A process with tools that run as tasks, and one worker of an engine: `process.ts ENGINE PORT LEDGER COUNT [SERVER]`. It begins COUNT tasks, says `begun` and the id of each,
 * and `ready`; each line `answer ID` answers what that task asks. The ledger gets a line of each effect: the task and the id of the effect.
 */

import { appendFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { createServer } from '../packages/parley/src/server.ts';
import { openStore } from '../test/tasks/stores.ts';
import { extended, taskClient } from '../test/support/task-client.ts';
import { engines } from './engines.ts';

const [engine = '', port = '', ledger = '', count = '0', own = ''] = process.argv.slice(2);
const kind = engines[engine];
if (kind === undefined) throw new Error(`there is no engine ${engine}`);
const { store } = openStore(kind.store, port);
const { executor, launch } = await kind.open({ port: Number(port), server: own }, (id) => server.tasks.run(id));
const rateLimits = { tasks: { perSecond: 1e6, burst: 1e6 } };
const server = createServer(
  { name: 'worker', version: '1' },
  { tasks: { store, executor, leaseTtlMs: 2000 }, rateLimits },
);
const task = { support: 'required', attempts: 100 } as const;
server.tool('work', { task }, async (_, ctx) => {
  await ctx.once('effect', (id) => appendFileSync(ledger, `${ctx.task?.id} ${id}\n`));
  await sleep(300);
  return `run ${ctx.task?.attempt}`;
});
const schema = { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] } as const;
server.tool('ask', { task }, async (_, ctx) => {
  const { action } = await ctx.elicit({ message: 'name?', schema });
  await ctx.once('effect', (id) => appendFileSync(ledger, `${ctx.task?.id} ${id}\n`));
  return `${action}, run ${ctx.task?.attempt}`;
});
await launch();
const client = await taskClient(server, { revision: '2026-07-28', capabilities: extended });
for (let at = 0; at < Number(count); at++) {
  const { taskId } = await client.ask('tools/call', { name: at % 5 === 4 ? 'ask' : 'work' });
  console.log('begun', taskId);
}
console.log('ready');
for await (const line of createInterface({ input: process.stdin })) {
  const [, taskId = ''] = line.split(' ');
  const { inputRequests = {} } = await client.ask('tasks/get', { taskId });
  const answers = Object.keys(inputRequests as object).map((key) => [key, { action: 'decline' }] as const);
  await client.ask('tasks/update', { taskId, inputResponses: Object.fromEntries(answers) });
}
process.exit();
