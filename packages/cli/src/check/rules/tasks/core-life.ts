import { isObject } from '../../../../../parley/src/jsonrpc/message.ts';
import type { JsonObject } from '../../../../../parley/src/protocol/features/common.ts';
import { nobody, type Harness } from '../../harness/harness.ts';
import type { CallableTool } from '../../harness/allowed.ts';
import { answeringUntil, callMs, sendCall } from '../../harness/calls.ts';
import type { RawExchange } from '../../harness/exchange.ts';
import type { RequestExchange, ProbeClient } from '../../harness/probe-client.ts';
import { supportOf, takesCalls, ttl } from './common.ts';
import { wholeText } from '../../whole-text.ts';

/** The life of a task that a client asked for, as it was seen: every rule about it looks at the same. */
export interface CoreLife {
  readonly tool: CallableTool;
  /** Progress token of the call. */
  readonly token: string;
  readonly made: RequestExchange;
  /** Time until the call was answered, in milliseconds, without that which any answer takes. */
  readonly madeMs: number;
  readonly task: JsonObject;
  /** `tasks/get` at once. */
  readonly first: RequestExchange;
  /** `tasks/get` that names another task in `_meta`. */
  readonly aside: RequestExchange;
  /** `tasks/result`, asked for at once, with all that came until it was answered. */
  readonly outcome: RequestExchange;
  /** Time that it took, in milliseconds. */
  readonly outcomeMs: number;
  /** `tasks/get` right after that. */
  readonly end: RequestExchange;
  /** `tasks/get` some time later. */
  readonly later: RequestExchange;
}

/** Limit of the tools whose tasks are looked at. */
const maxTools = 5;

/** The key of `_meta` that says to which task something belongs. */
export const relatedKey = 'io.modelcontextprotocol/related-task';

/** Lives of tasks of the tools that may be called and make some; none where the server has none. @throws NotJudged where no tool may be called. */
export async function coreLives(harness: Harness): Promise<readonly CoreLife[]> {
  const tools = await taskTools(harness);
  return await harness.kept('lives of tasks', () =>
    harness.asked(async (probeClient) => {
      const lives: CoreLife[] = [];
      for (const tool of tools) {
        const life = await lived(harness, probeClient, tool);
        if (life !== undefined) lives.push(life);
      }
      return lives;
    }),
  );
}

/** Tools that may be called and make tasks. */
async function taskTools(harness: Harness): Promise<readonly CallableTool[]> {
  if (!(await takesCalls(harness))) return [];
  const tools = await harness.callables();
  return tools.filter((tool) => ['optional', 'required'].includes(wholeText(supportOf(tool)))).slice(0, maxTools);
}

async function lived(harness: Harness, probeClient: ProbeClient, tool: CallableTool): Promise<CoreLife | undefined> {
  let began = performance.now();
  const lap = (): number => -began + (began = performance.now());
  const token = `parley-check-task-${probeClient.newId()}`;
  const made = await sendCall(probeClient, tool, { params: { task: { ttl } }, meta: { progressToken: token } });
  const tookMs = lap();
  const task = made.result?.['task'];
  if (!isObject(task) || typeof task['taskId'] !== 'string') return undefined;
  const { taskId } = task;
  const get = (meta?: JsonObject): Promise<RequestExchange> =>
    probeClient.request('tasks/get', { taskId, ...(meta && { _meta: meta }) });
  const first = await get();
  const madeMs = tookMs - lap();
  const aside = await get({ [relatedKey]: { taskId: nobody } });
  lap();
  const outcome = await awaitedOutcome(probeClient, taskId);
  const outcomeMs = lap();
  const end = await get();
  await probeClient.rest(harness.quietMs);
  return { tool, token, made, madeMs, task, first, aside, outcome, outcomeMs, end, later: await get() };
}

/** Waits for the outcome of a task, and answers what it asks. */
export async function awaitedOutcome(probeClient: ProbeClient, taskId: unknown): Promise<RequestExchange> {
  const id = probeClient.newId();
  return await probeClient.request(
    'tasks/result',
    { taskId },
    { id, waitTimeoutMs: callMs, until: answeringUntil(probeClient, { id }) },
  );
}

/** Has a tool run as a task, and waits for its outcome; `undefined` where it becomes none. */
export async function anotherOutcome(
  probeClient: ProbeClient,
  tool: CallableTool,
): Promise<RequestExchange | undefined> {
  const { result } = await sendCall(probeClient, tool, { params: { task: { ttl } } });
  const task = result?.['task'];
  return isObject(task) && typeof task['taskId'] === 'string'
    ? await awaitedOutcome(probeClient, task['taskId'])
    : undefined;
}

/** Params of the notifications of progress among what came. */
export function progressesIn({ messages }: RawExchange): readonly JsonObject[] {
  return messages
    .flat()
    .flatMap((message) =>
      isObject(message) && message['method'] === 'notifications/progress' && isObject(message['params'])
        ? [message['params'] as JsonObject]
        : [],
    );
}

/** The status that an answer says. */
export function taskStatus({ result }: RequestExchange): unknown {
  return result?.['status'];
}

/** Tells whether a task with a status has ended. */
export function isTaskOver(status: unknown): boolean {
  return status === 'completed' || status === 'failed' || status === 'cancelled';
}

/** Questions of the server among what came. */
export function askedIn({ messages }: RawExchange): readonly JsonObject[] {
  return messages
    .flat()
    .filter(
      (message): message is JsonObject =>
        isObject(message) &&
        message['id'] !== undefined &&
        ['elicitation/create', 'sampling/createMessage', 'roots/list'].includes(wholeText(message['method'])),
    );
}

/** The task that the `_meta` of something names; `undefined` where it names none. */
export function relatedOf(holder: unknown): unknown {
  const meta = isObject(holder) ? holder['_meta'] : undefined;
  const related = isObject(meta) ? meta[relatedKey] : undefined;
  return isObject(related) ? related['taskId'] : undefined;
}
