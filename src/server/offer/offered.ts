/**
 * Parts that only servers need that offer resources or prompts, and only when they are used; `handlers.ts` loads it.
 */

export { complete } from './completion.ts';
export { getPrompt } from './prompting.ts';
export { isFoundAtRunTime, listResources, readResource } from './reading.ts';
