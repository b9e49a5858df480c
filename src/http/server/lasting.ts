/** The conversations that last longer than one request, of either transport that has them; `handler.ts` loads them. */

export { Sessions } from './session/sessions.ts';
export { SsePairs } from './sse-pair.ts';
