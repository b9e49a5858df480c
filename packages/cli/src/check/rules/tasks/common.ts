import { isObject } from '../../../../../parley/src/jsonrpc/message.ts';
import type { JsonObject } from '../../../../../parley/src/protocol/features/common.ts';
import type { Revision } from '../../../../../parley/src/protocol/revision.ts';
import { excerptOf, type Harness } from '../../harness/harness.ts';
import type { CallableTool } from '../../harness/allowed.ts';
import { sendCall } from '../../harness/calls.ts';
import type { RequestExchange, ProbeClient } from '../../harness/probe-client.ts';
import { NotJudged, notApplicable, type RuleVerdict } from '../../harness/verdict.ts';
import { wholeText } from '../../whole-text.ts';

/** Things that rules about tasks have in common. */

/** Time for which a task is asked to be kept, in milliseconds. */
export const ttl: number = 60_000;
/** Limit of the times that a task is asked for. */
export const maxPolls: number = 20;

/** Tells whether tasks of a revision are those for which a client asks. */
export const inCore = ({ tasks }: Revision): boolean => tasks === 'core';
/** Tells whether they are those of the extension, which a server makes. */
export const inExtension = ({ tasks }: Revision): boolean => tasks === 'extension';

/** The support of tasks that a tool says. */
export function supportOf({ tool: { execution } }: CallableTool): unknown {
  return isObject(execution) ? (execution['taskSupport'] ?? 'forbidden') : 'forbidden';
}

/** Tells whether the server takes calls of tools as tasks. */
export async function takesCalls(harness: Harness): Promise<boolean> {
  const { tasks } = (await harness.offer()).capabilities;
  const requests = isObject(tasks) && isObject(tasks['requests']) ? tasks['requests']['tools'] : undefined;
  return isObject(requests) && requests['call'] !== undefined;
}

/** A tool that makes tasks. @throws NotJudged where no tool may be called. */
export async function taskTool(harness: Harness, ...support: readonly string[]): Promise<CallableTool | undefined> {
  const tools = await harness.callables();
  return tools.find((tool) => support.includes(wholeText(supportOf(tool))));
}

/** Has a task of a tool judged, in a conversation of its own. */
export async function onTask(
  harness: Harness,
  judge: (task: JsonObject, made: RequestExchange, probeClient: ProbeClient) => Promise<RuleVerdict> | RuleVerdict,
): Promise<RuleVerdict> {
  if (!(await takesCalls(harness))) return notApplicable('the server does not declare tasks of tools');
  const tool = await taskTool(harness, 'optional', 'required');
  if (tool === undefined) return notApplicable('no tool that may be called makes tasks');
  return await harness.asked(async (probeClient) => {
    const made = await sendCall(probeClient, tool, { params: { task: { ttl } } });
    const task = made.result?.['task'];
    if (!isObject(task)) throw new NotJudged(`${tool.name} made no task: ${excerptOf(made)}`);
    return await judge(task, made, probeClient);
  });
}

/** Result of a task that ends within the wait. @throws NotJudged where it does not, or asks. */
export async function taskOutcome(probeClient: ProbeClient, taskId: unknown): Promise<RequestExchange> {
  for (let polls = 0; polls < maxPolls; polls++) {
    const { result } = await probeClient.request('tasks/get', { taskId });
    if (result?.['status'] === 'input_required') throw new NotJudged('the task asks');
    if (result?.['status'] !== 'working') break;
    await probeClient.rest(250);
  }
  const answer = await probeClient.request('tasks/result', { taskId });
  if (answer.result === undefined) throw new NotJudged(`the task has no result: ${excerptOf(answer)}`);
  return answer;
}
