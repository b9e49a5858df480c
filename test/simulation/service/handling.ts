/** What handlers of a simulated service do while they run. */

import type { AskAsTaskOptions, ToolContext } from '../../../packages/parley/src/server/definition/tool-context.ts';

/** Asks the client, and gives its words. */
export async function sample(
  ctx: Pick<ToolContext, 'sample'>,
  text: string,
  options?: AskAsTaskOptions,
): Promise<string> {
  const messages = [{ role: 'user', content: { type: 'text', text } } as const];
  const { content } = await ctx.sample({ messages, maxTokens: 9 }, options);
  const [first] = [content].flat();
  return first?.type === 'text' ? first.text : '?';
}

/** Waits, unless nobody wants it any more. */
export function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    const end = (): void => {
      clearTimeout(timer);
      resolve();
    };
    if (signal.aborted) end();
    else signal.addEventListener('abort', end, { once: true });
  });
}

/** The timers of handlers that go on whatever becomes of their service: nobody else can end those. */
const ofHandlers = new WeakSet<object>();

/** Waits that long, and is ended by nothing. */
export function lasting(ms: number): Promise<void> {
  return new Promise((resolve) => {
    ofHandlers.add(setTimeout(resolve, ms));
  });
}

/** Number of the timers that are none of a handler which goes on. */
export function countedTimers(timers: ReadonlySet<object>): number {
  return [...timers].filter((timer) => !ofHandlers.has(timer)).length;
}
