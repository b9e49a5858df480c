import { isObject } from '../../../../../parley/src/jsonrpc/message.ts';
import type { ClientCapabilities } from '../../../../../parley/src/protocol/capability.ts';
import type { JsonObject } from '../../../../../parley/src/protocol/features/common.ts';
import { tasksExtension } from '../../../../../parley/src/protocol/features/tasks.ts';
import { obliging, type Harness } from '../../harness/harness.ts';
import type { CallableTool } from '../../harness/allowed.ts';
import { nextRound, questionsIn, obligingResult, sendCall, wantsInput } from '../../harness/calls.ts';
import type { RequestExchange, ProbeClient } from '../../harness/probe-client.ts';
import { isTaskOver, taskStatus } from './core-life.ts';

/** The life of a task that the server made of a call, as it was seen: every rule about it looks at the same. */
export interface ExtensionLife {
  readonly tool: CallableTool;
  readonly made: RequestExchange;
  readonly taskId: unknown;
  /** `tasks/get` at once. */
  readonly first: RequestExchange;
  /** `tasks/update` with an answer to what was not asked. */
  readonly unasked: RequestExchange;
  /** Each answer to `tasks/get`, the last one at the end of the task or of the wait. */
  readonly looks: readonly RequestExchange[];
  /** Each answer to `tasks/update` that answered what was asked. */
  readonly updates: readonly RequestExchange[];
  /** Questions by their keys, in the order in which they were asked and answered. */
  readonly asked: readonly (readonly [key: string, question: JsonObject])[];
  readonly end: RequestExchange;
}

/** Capabilities of a client that takes tasks, and can be asked. */
export const taking: ClientCapabilities = { ...obliging, extensions: { [tasksExtension]: {} } };

/** Limits of the tools that are called, of the rounds before a task, of the looks at one, and of those in a row at one that asks for nothing. */
const most = { tools: 5, rounds: 4, looks: 60, idle: 5 };

/** Does something in the conversation of a client that takes tasks. */
export async function asTaker<T>(harness: Harness, act: (probeClient: ProbeClient) => Promise<T>): Promise<T> {
  const probeClient = await harness.kept('the conversation of who takes tasks', () => harness.fresh(taking));
  return await act(probeClient);
}

/** Lives of tasks that the server makes of calls of tools that may be called. @throws NotJudged where none may be. */
export async function extensionLives(harness: Harness): Promise<readonly ExtensionLife[]> {
  const tools = await harness.callables();
  return await harness.kept('lives of tasks', () =>
    asTaker(harness, async (probeClient) => {
      const lives: ExtensionLife[] = [];
      for (const tool of tools) {
        const life = await lived(harness, probeClient, tool);
        if (life !== undefined && lives.push(life) >= most.tools) break;
      }
      return lives;
    }),
  );
}

/** Calls a tool until it became a task; `undefined` where it does not. */
export async function becameTask(
  probeClient: ProbeClient,
  tool: CallableTool,
): Promise<{ readonly made: RequestExchange; readonly taskId: string } | undefined> {
  let made = await sendCall(probeClient, tool);
  for (let left = most.rounds; left > 0 && wantsInput(made); left--)
    made = await sendCall(probeClient, tool, { params: nextRound(made) });
  const taskId = made.result?.['taskId'];
  return typeof taskId === 'string' ? { made, taskId } : undefined;
}

async function lived(
  harness: Harness,
  probeClient: ProbeClient,
  tool: CallableTool,
): Promise<ExtensionLife | undefined> {
  const task = await becameTask(probeClient, tool);
  if (task === undefined) return undefined;
  const { made, taskId } = task;
  const get = (): Promise<RequestExchange> => probeClient.request('tasks/get', { taskId });
  const first = await get();
  const unasked = await probeClient.request('tasks/update', {
    taskId,
    inputResponses: { 'parley-check-extra': { action: 'decline' } },
  });
  const [looks, updates]: [RequestExchange[], RequestExchange[]] = [[first], []];
  const asked: (readonly [string, JsonObject])[] = [];
  const known = new Set<string>();
  let look = await get();
  let idle = 0;
  for (; looks.length < most.looks; look = await get()) {
    looks.push(look);
    if (look.result === undefined || isTaskOver(taskStatus(look))) break;
    // One that says that it asks, and asks for nothing, waits for ever.
    const isIdle = taskStatus(look) === 'input_required' && questionsIn(look.result).length === 0;
    idle = isIdle ? idle + 1 : 0;
    if (idle === most.idle) break;
    const fresh = questionsIn(look.result).filter(([key, question]) => !known.has(wordsOf(key, question)));
    for (const [key, question] of fresh) known.add(wordsOf(key, question));
    asked.push(...fresh);
    const inputResponses = Object.fromEntries(fresh.map(([key, question]) => [key, obligingResult(question)]));
    if (fresh.length > 0) updates.push(await probeClient.request('tasks/update', { taskId, inputResponses }));
    await probeClient.rest(harness.quietMs);
  }
  return { tool, made, taskId, first, unasked, looks, updates, asked, end: look };
}

/** A question and its key as one text. */
function wordsOf(key: string, question: JsonObject): string {
  return JSON.stringify([key, question]);
}

/** Tells whether an answer has nothing beside what every result has. */
export function isEmpty({ result }: RequestExchange): boolean {
  if (!isObject(result)) return false;
  return Object.keys(result).every((key) => key === 'resultType' || key === '_meta');
}
