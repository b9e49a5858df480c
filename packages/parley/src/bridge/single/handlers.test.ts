/** Handlers of a bridge: which part of it serves a request. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { tasksExtension } from '../../protocol/features/tasks.ts';
import { newestRevision, revisionOf } from '../../protocol/revision.ts';
import { bridgeHandlers, requestsAboutTasks, type BridgeParts } from './handlers.ts';

const core = revisionOf('2025-11-25') ?? assert.fail();

/** Handlers before a server with tasks in one of the two forms. They return the name of the part that serves. */
function handlersBefore(form: 'core' | 'extension') {
  const latest =
    form === 'core'
      ? { revision: '2025-11-25', capabilities: { tasks: {} } }
      : { revision: '2026-07-28', capabilities: { extensions: { [tasksExtension]: {} } } };
  const parts = {
    pool: { main: { latest }, carry: async () => ({ by: 'server' }) },
    tools: { taskSupport: () => undefined, fitted: (result: unknown) => result, seen: () => ({ tools: [{}] }) },
    kept: { load: async () => ({ created: () => ({ by: 'kept' }), about: () => ({ by: 'kept' }) }) },
    tasks: {
      load: async () => ({ forwarded: { created: () => ({ by: 'carried' }), about: () => ({ by: 'carried' }) } }),
    },
    asked: 'required',
  };
  return bridgeHandlers(parts as unknown as BridgeParts);
}

async function servedBy(form: 'core' | 'extension', method: string, facts: object, params = {}): Promise<unknown> {
  const call = { facts, method, meta: {}, client: { capabilities: {}, supports: () => false } };
  const result = await handlersBefore(form).get(method)?.(params as never, call as never);
  return Object(result)['by'];
}

test('a 2025-11-25 call with a task is kept here if the server has the extension', async () => {
  const task = { name: 'job', task: {} };
  assert.equal(await servedBy('extension', 'tools/call', core, task), 'kept');
  assert.equal(await servedBy('extension', 'tools/call', core, { name: 'job' }), 'server');
  assert.equal(await servedBy('core', 'tools/call', core, task), 'server');
  assert.equal(await servedBy('extension', 'tools/call', newestRevision, { name: 'job' }), 'server');
});

test('requests about tasks go to the kept ones under the same condition', async () => {
  for (const method of requestsAboutTasks) {
    assert.equal(await servedBy('extension', method, core, { taskId: 'a' }), 'kept');
    assert.equal(await servedBy('core', method, core, { taskId: 'a' }), 'carried');
    assert.equal(await servedBy('extension', method, newestRevision, { taskId: 'a' }), 'carried');
  }
});

test('tools are listed as optional tasks where tasks are kept', async () => {
  const listed = async (facts: object): Promise<unknown> =>
    await handlersBefore('extension').get('tools/list')?.({}, { facts } as never);
  assert.deepEqual(await listed(core), { tools: [{ execution: { taskSupport: 'optional' } }] });
  assert.deepEqual(await listed(newestRevision), { tools: [{}] });
});
