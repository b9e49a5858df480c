/**
 * Parts that only servers need that offer resources, prompts or methods of their own, and only when they are used; `handlers.ts` loads it.
 */

export { complete } from './completion.ts';
export { callMethod } from './method-call.ts';
export { isThere, restricted } from './restricted-handlers.ts';
export { scopeGuard } from './missing-scopes.ts';
export { getPrompt } from './prompting.ts';
export { isFoundAtRunTime, listResources, readResource } from './reading.ts';
