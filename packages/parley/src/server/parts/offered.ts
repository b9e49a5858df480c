/** Parts that only servers with resources or prompts need, and only when they are used; `handlers.ts` loads it. */

export { getPrompt } from '../features/prompting.ts';
export { isFoundAtRunTime, listResources, readResource } from '../features/reading.ts';
