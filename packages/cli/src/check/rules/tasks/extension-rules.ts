import { encodeHeaderValue } from '../../../../../parley/src/connection/header.ts';
import { isObject } from '../../../../../parley/src/jsonrpc/message.ts';
import { tasksExtension } from '../../../../../parley/src/protocol/features/tasks.ts';
import { metaKey } from '../../../../../parley/src/protocol/meta.ts';
import { excerptOf, nobody, type Harness } from '../../harness/harness.ts';
import { errorCodeIn, type RawExchange } from '../../harness/exchange.ts';
import type { RequestExchange } from '../../harness/probe-client.ts';
import type { ProbeRule } from '../../rule.ts';
import { breaks, holds, NotJudged, notApplicable, notJudged, unless, type RuleVerdict } from '../../harness/verdict.ts';
import { looksGuessable } from '../common/guessable.ts';
import { ownMeta } from '../common/own-meta.ts';
import { errorDataIn, refusedWith } from '../common/refusals.ts';
import { inExtension } from './common.ts';
import { declaredExtension, extension } from './extension.ts';
import { asTaker, extensionLives, isEmpty, becameTask, type ExtensionLife } from './extension-life.ts';
import { wholeText } from '../../whole-text.ts';

/** Rules about tasks of the extension: what is refused, and the life of one. */

type Rule = Omit<ProbeRule, 'probe' | 'lives'>;

/** A rule about what the server does at all, where it declares the extension. */
function whereDeclared(rule: Rule, probe: ProbeRule['probe']): ProbeRule {
  return {
    ...rule,
    lives: inExtension,
    async probe(harness) {
      if (!(await declaredExtension(harness))) return notApplicable('it does not declare the extension');
      return await probe(harness);
    },
  };
}

/** Asks about a task that does not exist, as a client that takes tasks. */
async function askedOfNone(harness: Harness, method: 'tasks/update' | 'tasks/cancel'): Promise<RequestExchange> {
  return await harness.kept(`${method} of no task`, async () => {
    const probeClient = await harness.fresh(extension);
    try {
      await harness.ready(probeClient);
      const inputResponses = method === 'tasks/update' ? { inputResponses: {} } : {};
      return await probeClient.request(method, { taskId: nobody, ...inputResponses });
    } finally {
      await harness.end(probeClient);
    }
  });
}

/** A rule that a method refuses a task that does not exist. */
function refusesNone(id: string, method: 'tasks/update' | 'tasks/cancel'): ProbeRule {
  return whereDeclared(
    { id, message: `${method} of an unknown task is an error`, fix: 'answer with the error -32602' },
    async (harness) => {
      const answer = await askedOfNone(harness, method);
      return unless(answer.response?.error === undefined, answer, excerptOf(answer));
    },
  );
}

const unknownCodes = whereDeclared(
  {
    id: 'tasks-085',
    message: 'tasks/update and tasks/cancel of an unknown task get -32602',
    fix: 'answer with the error -32602',
  },
  async (harness) => {
    for (const [method, follows] of [
      ['tasks/update', 'tasks-074'],
      ['tasks/cancel', 'tasks-078'],
    ] as const) {
      const answer = await askedOfNone(harness, method);
      if (answer.response?.error === undefined) return notJudged(`${method} was no error: see ${follows}`);
      const verdict = refusedWith(answer, { code: -32602 });
      if (verdict.verdict === 'breaks') return { ...verdict, why: `${method}: ${verdict.why}` };
    }
    return holds;
  },
);

const strangersListen = whereDeclared(
  {
    id: 'tasks-079',
    message: 'A client without the extension cannot subscribe to tasks, and the error names the extension',
    fix: 'answer with the error -32021 and data {"requiredCapabilities": {"extensions": {…}}}',
  },
  async (harness) => {
    const probeClient = await harness.shared();
    await harness.ready(probeClient);
    const answer = await probeClient.request(
      'subscriptions/listen',
      { notifications: { taskIds: [nobody] } },
      { until: (messages) => messages.length > 0 },
    );
    if (errorCodeIn(answer) === undefined) return breaks(answer, `it was not refused: ${excerptOf(answer)}`);
    return unless(!namesExtension(answer), answer, 'the error does not name the extension');
  },
);

/** Tells whether an error says that the extension is what is missing. */
function namesExtension(exchange: RawExchange): boolean {
  const required = errorDataIn(exchange)?.['requiredCapabilities'];
  const extensions = isObject(required) ? required['extensions'] : undefined;
  return isObject(extensions) && extensions[tasksExtension] !== undefined;
}

const formerCapability = whereDeclared(
  {
    id: 'tasks-094',
    message: 'The former tasks capability alone does not declare the extension',
    fix: 'read only the extensions of the clientCapabilities',
  },
  async (harness) => {
    const probeClient = await harness.shared();
    const ask = async (capabilities: Readonly<Record<string, unknown>>): Promise<RequestExchange> =>
      await probeClient.request(
        'tasks/get',
        { taskId: nobody },
        { meta: ownMeta(harness, { [metaKey.clientCapabilities]: capabilities }) },
      );
    if (errorCodeIn(await ask({})) !== -32021) return notJudged('who declares nothing is not refused: see tasks-086');
    return refusedWith(await ask({ tasks: { requests: { elicitation: { create: {} } } } }), { code: -32021 });
  },
);

/** Judges each life that was seen; `false` is said of one that says nothing of it. */
async function eachLife(
  harness: Harness,
  judge: (life: ExtensionLife) => Promise<readonly [RawExchange, string] | false | undefined>,
): Promise<RuleVerdict> {
  let judged = 0;
  for (const life of await extensionLives(harness)) {
    const found = await judge(life);
    if (found === false) continue;
    judged++;
    const { name } = life.tool;
    if (found !== undefined) return breaks(found[0], `${name}: ${found[1]}`, `tools/${name}`);
  }
  return judged > 0 ? holds : notApplicable('no call of a tool that may be called became such a task');
}

function aboutLives(
  rule: Rule,
  judge: (life: ExtensionLife, harness: Harness) => ReturnType<Parameters<typeof eachLife>[1]>,
): ProbeRule {
  return {
    ...rule,
    lives: inExtension,
    needs: 'tools',
    probe: (harness) => eachLife(harness, (life) => judge(life, harness)),
  };
}

const durable = aboutLives(
  {
    id: 'tasks-059',
    message: 'tasks/get finds each task that the client received',
    fix: 'answer the call when the task is kept',
  },
  async ({ first }) => (first.result === undefined ? [first, 'right after the call it was not'] : undefined),
);

const keysOnce = aboutLives(
  {
    id: 'tasks-072',
    message: 'A task does not reuse the key of an input request',
    fix: 'make a new key for each question',
  },
  async ({ asked, end }) => {
    if (asked.length === 0) return false;
    const keys = asked.map(([key]) => key);
    const again = keys.find((key, at) => keys.indexOf(key) !== at);
    return again === undefined ? undefined : [end, `${JSON.stringify(again)} named two`];
  },
);

const acknowledges = aboutLives(
  {
    id: 'tasks-073',
    message: 'tasks/update is answered with an empty result',
    fix: 'answer with {"resultType": "complete"}, and nothing of the task',
  },
  async ({ updates }) => {
    if (updates.length === 0) return false;
    const wrong = updates.find((update) => !isEmpty(update));
    return wrong && [wrong, excerptOf(wrong)];
  },
);

const passesOver = aboutLives(
  {
    id: 'tasks-075',
    message: 'tasks/update ignores answers without an input request',
    fix: 'take of inputResponses what the task waits for, and answer with an empty result',
  },
  async ({ unasked, first }) => {
    if (first.result === undefined) return false;
    return unasked.response?.error === undefined ? undefined : [unasked, 'it was refused'];
  },
);

const cancels = aboutLives(
  {
    id: 'tasks-077',
    message: 'tasks/cancel is answered with an empty result',
    fix: 'answer with {"resultType": "complete"}, and nothing of the task',
  },
  async ({ tool }, harness) =>
    await asTaker(harness, async (probeClient) => {
      const task = await becameTask(probeClient, tool);
      if (task === undefined) return false;
      const answer = await probeClient.request('tasks/cancel', { taskId: task.taskId });
      return isEmpty(answer) ? undefined : [answer, excerptOf(answer)];
    }),
);

/** Asks for a task with a header of its own. */
async function named(harness: Harness, { taskId }: ExtensionLife, header: string): Promise<RequestExchange> {
  return await asTaker(harness, (probeClient) =>
    probeClient.request('tasks/get', { taskId }, { headers: { 'Mcp-Name': encodeHeaderValue(header) } }),
  );
}

const rightName = aboutLives(
  {
    id: 'tasks-082',
    message: 'A method of tasks whose Mcp-Name is the taskId is served',
    fix: 'compare Mcp-Name of tasks/get, tasks/update and tasks/cancel with the taskId',
    over: 'http',
  },
  async (life, harness) => {
    const answer = await named(harness, life, wholeText(life.taskId));
    return errorCodeIn(answer) === -32020 ? [answer, 'it was refused'] : undefined;
  },
);

const otherName = aboutLives(
  {
    id: 'tasks-083',
    message: 'A method of tasks whose Mcp-Name is another is refused',
    fix: 'compare Mcp-Name with the taskId, and answer HTTP 400 and -32020 where they differ',
    over: 'http',
  },
  async (life, harness) => {
    const answer = await named(harness, life, nobody);
    return answer.result === undefined ? undefined : [answer, 'it was served'];
  },
);

const needsTasks = aboutLives(
  {
    id: 'tasks-053',
    message: 'A tool that requires a task refuses a client without the extension with -32021',
    fix: 'answer with the error -32021',
  },
  async ({ tool, end }, harness) => {
    const plain = (await harness.made('obliging')).find(({ of }) => of.name === tool.name)?.last;
    const code = plain && errorCodeIn(plain);
    // A tool that fails either way is one that could be served by neither.
    if (plain === undefined || code === undefined || end.result?.['status'] !== 'completed') return false;
    return code === -32021 ? undefined : [plain, `the error has the code ${JSON.stringify(code)}`];
  },
);

const saysNeed = aboutLives(
  {
    id: 'tasks-054',
    message: 'The error -32021 names the tasks extension in data.requiredCapabilities',
    fix: `add data {"requiredCapabilities": {"extensions": {"${tasksExtension}": {}}}}`,
  },
  async ({ tool }, harness) => {
    const plain = (await harness.made('obliging')).find(({ of }) => of.name === tool.name)?.last;
    if (plain === undefined || errorCodeIn(plain) !== -32021) return false;
    return namesExtension(plain) ? undefined : [plain, 'it does not'];
  },
);

const softErrors = aboutLives(
  {
    id: 'tasks-089',
    message: 'A task whose result has isError is completed, and not failed',
    fix: 'keep failed for errors of JSON-RPC',
  },
  async ({ tool, end }, harness) => {
    const plain = (await harness.made('obliging')).find(({ of }) => of.name === tool.name)?.result;
    if (plain?.['isError'] !== true) return false;
    return end.result?.['status'] === 'failed' ? [end, 'a plain call has isError, and the task failed'] : undefined;
  },
);

const declares = aboutLives(
  {
    id: 'tasks-092',
    message: 'A server that makes tasks declares the extension',
    fix: `declare "${tasksExtension}" in extensions`,
  },
  async ({ made }, harness) =>
    (await declaredExtension(harness)) ? undefined : [made, 'it made a task, and does not'],
);

const secretIds: ProbeRule = {
  id: 'tasks-095',
  lives: inExtension,
  message: 'The id of a task cannot be guessed',
  fix: 'make ids of at least 64 random bits, such as by crypto.randomUUID()',
  needs: 'tools',
  async probe(harness) {
    const [life] = await extensionLives(harness);
    if (life === undefined) return notApplicable('no call of a tool that may be called became such a task');
    const ids = [wholeText(life.taskId)];
    await asTaker(harness, async (probeClient) => {
      for (let left = 2; left > 0; left--) {
        const task = await becameTask(probeClient, life.tool);
        if (task === undefined) throw new NotJudged(`${life.tool.name} made no task again`);
        ids.push(wholeText(task.taskId));
        await probeClient.request('tasks/cancel', { taskId: task.taskId });
      }
    });
    const why = new Set(ids).size < ids.length ? 'an id came twice' : looksGuessable(ids);
    return why === undefined ? holds : breaks(life.made, why);
  },
};

/** Rules about tasks of the extension that send something. */
export const extensionLifeRules: readonly ProbeRule[] = [
  refusesNone('tasks-074', 'tasks/update'),
  refusesNone('tasks-078', 'tasks/cancel'),
  unknownCodes,
  strangersListen,
  formerCapability,
  durable,
  keysOnce,
  acknowledges,
  passesOver,
  cancels,
  rightName,
  otherName,
  needsTasks,
  saysNeed,
  softErrors,
  declares,
  secretIds,
];
