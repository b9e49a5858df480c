/** Methods of requests that can be played again, as a client of another revision. */
export const playableMethods = [
  'initialize',
  'server/discover',
  'tools/call',
  'tools/list',
  'prompts/get',
  'prompts/list',
  'resources/read',
  'resources/list',
  'resources/templates/list',
  'resources/subscribe',
  'subscriptions/listen',
] as const;

/** One of them. */
export type PlayableMethod = (typeof playableMethods)[number];

/** Requests about a task: the call that became it is played. */
export const aboutTasks: ReadonlySet<string> = new Set(['tasks/get', 'tasks/result', 'tasks/cancel', 'tasks/update']);

/** The same method, where its requests can be played again. */
export function playableMethod(method: string): PlayableMethod | undefined {
  return playableMethods.find((known) => known === method);
}
