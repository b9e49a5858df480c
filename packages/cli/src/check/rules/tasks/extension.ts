import { isObject } from '../../../../../parley/src/jsonrpc/message.ts';
import { tasksExtension } from '../../../../../parley/src/protocol/features/tasks.ts';
import type { ClientCapabilities } from '../../../../../parley/src/protocol/capability.ts';
import { nobody, type Harness } from '../../harness/harness.ts';
import { completeIn, sendCall } from '../../harness/calls.ts';
import type { ProbeRule, WatchRule } from '../../rule.ts';
import { holds, notApplicable, unless } from '../../harness/verdict.ts';
import { refusedWith } from '../common/refusals.ts';
import { inExtension, ttl } from './common.ts';

/** Rules about tasks of the extension, which the server makes: what is seen of them without one. */

const undeclaredTask: WatchRule = {
  id: 'tasks-050',
  lives: inExtension,
  message: 'A client that did not declare the tasks extension gets no task',
  fix: 'look at the extensions in clientCapabilities of the request',
  watch({ message: { result }, request, capabilities }) {
    if (request?.['method'] !== 'tools/call' || !isObject(result)) return 'not-seen';
    const { extensions } = capabilities;
    if (isObject(extensions) && extensions[tasksExtension] !== undefined) return 'not-seen';
    return result['resultType'] === 'task' ? { breaks: 'it got a task' } : 'holds';
  },
};

/** Probes a method of the extension, where the server declares it. */
export async function declaredExtension(harness: Harness): Promise<boolean> {
  const { extensions } = (await harness.offer()).capabilities;
  return isObject(extensions) && extensions[tasksExtension] !== undefined;
}

/** Capabilities of a client that takes tasks. */
export const extension: ClientCapabilities = { extensions: { [tasksExtension]: {} } };

const unknownOfExtension: ProbeRule = {
  id: 'tasks-084',
  lives: inExtension,
  message: 'A request about an unknown task of the extension gets -32602',
  fix: 'answer with the error -32602',
  async probe(harness) {
    if (!(await declaredExtension(harness))) return notApplicable('it does not declare the extension');
    const probeClient = await harness.fresh(extension);
    try {
      return refusedWith(await probeClient.request('tasks/get', { taskId: nobody }), { code: -32602 });
    } finally {
      await harness.end(probeClient);
    }
  },
};

const strangers: ProbeRule = {
  id: 'tasks-086',
  lives: inExtension,
  message: 'Task methods from a client without the extension get -32021',
  fix: 'answer with the error -32021',
  async probe(harness) {
    if (!(await declaredExtension(harness))) return notApplicable('it does not declare the extension');
    const probeClient = await harness.shared();
    await harness.ready(probeClient);
    return refusedWith(await probeClient.request('tasks/get', { taskId: nobody }), { code: -32021 });
  },
};

const removed: ProbeRule = {
  id: 'tasks-090',
  lives: inExtension,
  message: 'tasks/result and tasks/list no longer exist: -32601',
  fix: 'answer with the error -32601',
  async probe(harness) {
    const probeClient = await harness.shared();
    await harness.ready(probeClient);
    for (const [method, params] of [
      ['tasks/result', { taskId: nobody }],
      ['tasks/list', {}],
    ] as const) {
      const verdict = refusedWith(await probeClient.request(method, params), { code: -32601 });
      if (verdict.verdict === 'breaks') return { ...verdict, why: `${method}: ${verdict.why}` };
    }
    return holds;
  },
};

const oldParameter: ProbeRule = {
  id: 'tasks-091',
  lives: inExtension,
  message: 'The parameter task of tools/call is ignored',
  fix: 'decide by the extension that the client declares',
  needs: 'tools',
  async probe(harness) {
    const made = (await harness.made('mute')).find((one) => one.result !== undefined);
    if (made === undefined) return notApplicable('no tool that was called gave a result');
    const answer = await sendCall(await harness.shared(), made.of, { params: { task: { ttl } } });
    return unless(completeIn(answer) === undefined, answer, 'with it the call was not served');
  },
};

/** Rules about the extension, for which no task is needed. */
export const taskExtensionRules: readonly (ProbeRule | WatchRule)[] = [
  undeclaredTask,
  unknownOfExtension,
  strangers,
  removed,
  oldParameter,
];
