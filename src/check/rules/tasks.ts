import { isObject } from '../../jsonrpc/message.ts';
import { tasksExtension } from '../../protocol/features/tasks.ts';
import type { Revision } from '../../protocol/revision.ts';
import { excerptOf, nobody, type Bench } from '../bench/bench.ts';
import type { CallableTool } from '../bench/allowed.ts';
import { completeIn, sendCall } from '../bench/calls.ts';
import type { Answered, Prober } from '../bench/prober.ts';
import type { ProbeRule, WatchRule } from '../rule.ts';
import { breaks, holds, NotJudged, notApplicable, unless, type RuleVerdict } from '../verdict.ts';
import { refusedWith } from './refusals.ts';

/** Rules about tasks: those of 2025-11-25, for which a client asks, and those of the extension, which the server makes. */

type JsonObject = Readonly<Record<string, unknown>>;

/** Time for which a task is asked to be kept, in milliseconds. */
const ttl = 60_000;
/** Limit of the times that a task is asked for. */
const mostPolls = 20;

const inCore = ({ tasks }: Revision): boolean => tasks === 'core';
const inExtension = ({ tasks }: Revision): boolean => tasks === 'extension';

function supportOf({ tool: { execution } }: CallableTool): unknown {
  return isObject(execution) ? (execution['taskSupport'] ?? 'forbidden') : 'forbidden';
}

/** Tells whether the server takes calls of tools as tasks. */
async function takesCalls(bench: Bench): Promise<boolean> {
  const { tasks } = (await bench.offer()).capabilities;
  const requests = isObject(tasks) && isObject(tasks['requests']) ? tasks['requests']['tools'] : undefined;
  return isObject(requests) && requests['call'] !== undefined;
}

/** A tool that makes tasks. @throws NotJudged where no tool may be called. */
async function taskTool(bench: Bench, ...support: readonly string[]): Promise<CallableTool | undefined> {
  const tools = await bench.callables();
  return tools.find((tool) => support.includes(String(supportOf(tool))));
}

/** Has a task of a tool judged, in a conversation of its own. */
async function onTask(
  bench: Bench,
  judge: (task: JsonObject, made: Answered, speaker: Prober) => Promise<RuleVerdict> | RuleVerdict,
): Promise<RuleVerdict> {
  if (!(await takesCalls(bench))) return notApplicable('the server does not declare tasks of tools');
  const tool = await taskTool(bench, 'optional', 'required');
  if (tool === undefined) return notApplicable('no tool that may be called makes tasks');
  return await bench.asked(async (speaker) => {
    const made = await sendCall(speaker, tool, { params: { task: { ttl } } });
    const task = made.result?.['task'];
    if (!isObject(task)) throw new NotJudged(`${tool.name} made no task: ${excerptOf(made)}`);
    return await judge(task, made, speaker);
  });
}

const makesTasks: ProbeRule = {
  id: 'tasks-014',
  words: 'A call that asks for a task, of a tool that makes some, is answered with it',
  mend: 'answer with {"task": {…}}',
  needs: 'tasks',
  async probe(bench) {
    const tool = await taskTool(bench, 'optional', 'required');
    if (tool === undefined || !(await takesCalls(bench)))
      return notApplicable('no tool that may be called makes tasks');
    const made = await bench.asked((speaker) => sendCall(speaker, tool, { params: { task: { ttl } } }));
    return unless(made.result !== undefined && !isObject(made.result['task']), made, 'the result has no task');
  },
};

const beginsWorking: ProbeRule = {
  id: 'tasks-011',
  words: 'A task begins as working',
  mend: 'answer with the status working',
  needs: 'tasks',
  probe: (bench) =>
    onTask(bench, ({ status }, made) => unless(status !== 'working', made, `it began as ${JSON.stringify(status)}`)),
};

const isDate = (value: unknown): boolean =>
  typeof value === 'string' && /^\d{4}-\d\d-\d\dT\d\d:\d\d/.test(value) && !Number.isNaN(Date.parse(value));

const hasTimes: ProbeRule = {
  id: 'tasks-023',
  words: 'A task says when it was made and last changed, by ISO 8601',
  mend: 'send createdAt and lastUpdatedAt',
  needs: 'tasks',
  probe: (bench) =>
    onTask(bench, async (task, made, speaker) => {
      const got = await speaker.request('tasks/get', { taskId: task['taskId'] });
      for (const [from, answer] of [
        [task, made],
        [got.result ?? task, got],
      ] as const)
        if (!isDate(from['createdAt']) || !isDate(from['lastUpdatedAt'])) return breaks(answer, 'it does not');
      return holds;
    }),
};

const saysTtl: ProbeRule = {
  id: 'tasks-024',
  words: 'tasks/get says for how long a task is kept: a number, or null for ever',
  mend: 'send ttl',
  needs: 'tasks',
  probe: (bench) =>
    onTask(bench, async ({ taskId }, _, speaker) => {
      const got = await speaker.request('tasks/get', { taskId });
      if (got.result === undefined) return breaks(got, 'the task that was made is not found');
      const kept = got.result['ttl'];
      return unless(kept !== null && typeof kept !== 'number', got, `ttl is ${JSON.stringify(kept) ?? 'missing'}`);
    }),
};

const yieldsResult: ProbeRule = {
  id: 'tasks-022',
  words: 'tasks/result says in _meta of which task it is',
  mend: 'add "io.modelcontextprotocol/related-task" with the taskId to _meta',
  needs: 'tasks',
  probe: (bench) =>
    onTask(bench, async ({ taskId }, _, speaker) => {
      const result = await resultOf(speaker, taskId);
      const meta = result.result?.['_meta'];
      const related = isObject(meta) ? meta['io.modelcontextprotocol/related-task'] : undefined;
      return unless(!isObject(related) || related['taskId'] !== taskId, result, 'it does not');
    }),
};

/** Result of a task that ends within the wait. @throws NotJudged where it does not, or asks. */
async function resultOf(speaker: Prober, taskId: unknown): Promise<Answered> {
  for (let polls = 0; polls < mostPolls; polls++) {
    const { result } = await speaker.request('tasks/get', { taskId });
    if (result?.['status'] === 'input_required') throw new NotJudged('the task asks');
    if (result?.['status'] !== 'working') break;
    await speaker.rest(250);
  }
  const answer = await speaker.request('tasks/result', { taskId });
  if (answer.result === undefined) throw new NotJudged(`the task has no result: ${excerptOf(answer)}`);
  return answer;
}

const endsOnce: ProbeRule = {
  id: 'tasks-036',
  words: 'A task that has ended is not cancelled: -32602',
  mend: 'answer with the error -32602',
  needs: 'tasks',
  probe: (bench) =>
    onTask(bench, async ({ taskId }, _, speaker) => {
      const { tasks } = (await bench.offer()).capabilities;
      if (!isObject(tasks) || tasks['cancel'] === undefined) return notApplicable('it does not declare tasks.cancel');
      await resultOf(speaker, taskId);
      return refusedWith(await speaker.request('tasks/cancel', { taskId }), { code: -32602 });
    }),
};

const cancels: ProbeRule = {
  id: 'tasks-038',
  words: 'A task that is cancelled has the status cancelled when that is answered',
  mend: 'change the status before the answer',
  needs: 'tasks',
  probe: (bench) =>
    onTask(bench, async ({ taskId }, _, speaker) => {
      const answer = await speaker.request('tasks/cancel', { taskId });
      if (answer.result === undefined) return notApplicable(`it was not cancelled: ${excerptOf(answer)}`);
      const got = await speaker.request('tasks/get', { taskId });
      if (got.result === undefined) return holds;
      const { status } = got.result;
      return unless(status !== 'cancelled', got, `it is ${JSON.stringify(status)} after tasks/cancel was answered`);
    }),
};

const listsTasks: ProbeRule = {
  id: 'tasks-035',
  words: 'A task that tasks/get finds is in tasks/list',
  mend: 'list every task of the requestor',
  needs: 'tasks',
  probe: (bench) =>
    onTask(bench, async ({ taskId }, _, speaker) => {
      const { tasks } = (await bench.offer()).capabilities;
      if (!isObject(tasks) || tasks['list'] === undefined) return notApplicable('it does not declare tasks.list');
      let cursor: unknown;
      let answer: Answered;
      for (let page = 0; ; page++) {
        answer = await speaker.request('tasks/list', cursor === undefined ? {} : { cursor });
        const listed = answer.result?.['tasks'];
        if (Array.isArray(listed) && listed.some((one) => isObject(one) && one['taskId'] === taskId)) return holds;
        cursor = answer.result?.['nextCursor'];
        if (cursor === undefined) break;
        if (page >= mostPolls) throw new NotJudged('the list of tasks is too long');
      }
      const got = await speaker.request('tasks/get', { taskId });
      return unless(got.result !== undefined, answer, 'it is not');
    }),
};

const unknownTask: ProbeRule = {
  id: 'tasks-041',
  words: 'A task that does not exist is answered with -32602',
  mend: 'answer with the error -32602',
  needs: 'tasks',
  async probe(bench) {
    const speaker = await bench.shared();
    await bench.works(speaker, bench.harmless);
    for (const method of ['tasks/get', 'tasks/result']) {
      const verdict = refusedWith(await speaker.request(method, { taskId: nobody }), { code: -32602 });
      if (verdict.verdict === 'breaks') return { ...verdict, why: `${method}: ${verdict.why}` };
    }
    return holds;
  },
};

const onlyTasks: ProbeRule = {
  id: 'tasks-008',
  words: 'A tool that is only run as a task refuses a call that asks for none with -32601',
  mend: 'answer with the error -32601',
  needs: 'tasks',
  async probe(bench) {
    const tool = await taskTool(bench, 'required');
    if (tool === undefined) return notApplicable('no tool that may be called has taskSupport required');
    return refusedWith(await bench.asked((speaker) => sendCall(speaker, tool)), { code: -32601 });
  },
};

const noTasks: ProbeRule = {
  id: 'tasks-006',
  words: 'A tool that makes no tasks refuses a call that asks for one with -32601',
  mend: 'answer with the error -32601',
  needs: 'tasks',
  async probe(bench) {
    const tool = await taskTool(bench, 'forbidden');
    if (tool === undefined || !(await takesCalls(bench)))
      return notApplicable('no tool that may be called makes no tasks, where others do');
    const answer = await bench.asked((speaker) => sendCall(speaker, tool, { params: { task: { ttl } } }));
    return refusedWith(answer, { code: -32601 });
  },
};

const undeclaredTask: WatchRule = {
  id: 'tasks-050',
  lives: inExtension,
  words: 'A client that did not declare the extension of tasks gets none',
  mend: 'look at the extensions in clientCapabilities of the request',
  watch({ message: { result }, request, capabilities }) {
    if (request?.['method'] !== 'tools/call' || !isObject(result)) return 'not-seen';
    const { extensions } = capabilities;
    if (isObject(extensions) && extensions[tasksExtension] !== undefined) return 'not-seen';
    return result['resultType'] === 'task' ? { breaks: 'it got a task' } : 'holds';
  },
};

/** Probes a method of the extension, where the server declares it. */
async function declaredExtension(bench: Bench): Promise<boolean> {
  const { extensions } = (await bench.offer()).capabilities;
  return isObject(extensions) && extensions[tasksExtension] !== undefined;
}

const extension = { extensions: { [tasksExtension]: {} } };

const unknownOfExtension: ProbeRule = {
  id: 'tasks-084',
  lives: inExtension,
  words: 'A task of the extension that does not exist is answered with -32602',
  mend: 'answer with the error -32602',
  async probe(bench) {
    if (!(await declaredExtension(bench))) return notApplicable('it does not declare the extension');
    const speaker = await bench.fresh(extension);
    try {
      return refusedWith(await speaker.request('tasks/get', { taskId: nobody }), { code: -32602 });
    } finally {
      await bench.end(speaker);
    }
  },
};

const strangers: ProbeRule = {
  id: 'tasks-086',
  lives: inExtension,
  words: 'Methods of tasks are refused to a client that did not declare the extension, with -32021',
  mend: 'answer with the error -32021',
  async probe(bench) {
    if (!(await declaredExtension(bench))) return notApplicable('it does not declare the extension');
    const speaker = await bench.shared();
    await bench.works(speaker, bench.harmless);
    return refusedWith(await speaker.request('tasks/get', { taskId: nobody }), { code: -32021 });
  },
};

const removed: ProbeRule = {
  id: 'tasks-090',
  lives: inExtension,
  words: 'tasks/result and tasks/list exist no more: -32601',
  mend: 'answer with the error -32601',
  async probe(bench) {
    const speaker = await bench.shared();
    await bench.works(speaker, bench.harmless);
    for (const [method, params] of [
      ['tasks/result', { taskId: nobody }],
      ['tasks/list', {}],
    ] as const) {
      const verdict = refusedWith(await speaker.request(method, params), { code: -32601 });
      if (verdict.verdict === 'breaks') return { ...verdict, why: `${method}: ${verdict.why}` };
    }
    return holds;
  },
};

const oldParameter: ProbeRule = {
  id: 'tasks-091',
  lives: inExtension,
  words: 'The parameter task of tools/call is passed over',
  mend: 'decide by the extension that the client declares',
  needs: 'tools',
  async probe(bench) {
    const made = (await bench.made('mute')).find((one) => one.result !== undefined);
    if (made === undefined) return notApplicable('no tool that was called gave a result');
    const answer = await sendCall(await bench.shared(), made.of, { params: { task: { ttl } } });
    return unless(completeIn(answer) === undefined, answer, 'with it the call was not served');
  },
};

/** Rules about tasks. */
export const taskRules: readonly (ProbeRule | WatchRule)[] = [
  ...[makesTasks, beginsWorking, hasTimes, saysTtl, yieldsResult, endsOnce, cancels, listsTasks].map((rule) => ({
    ...rule,
    lives: inCore,
  })),
  ...[unknownTask, onlyTasks, noTasks].map((rule) => ({ ...rule, lives: inCore })),
  undeclaredTask,
  unknownOfExtension,
  strangers,
  removed,
  oldParameter,
];
