/** Parts that few servers need: completion, their own methods, and what not every client may use. `handlers.ts` loads it. */

export { complete } from '../features/completion.ts';
export { callMethod } from '../features/method-call.ts';
export { isThere, restricted } from './restricted-handlers.ts';
export { scopeGuard } from './missing-scopes.ts';
