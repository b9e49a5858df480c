import type { SessionFacts } from './session-facts.ts';
import type { OnEvent } from '../events/service-event.ts';

/** Number of sessions that were reported in this process. */
let toldSessions = 0;

/** Reports a session. Returns a function that reports its end. */
export function tellOfSession(
  onEvent: OnEvent,
  { revision, link, session: { openedAt } }: SessionFacts,
  type: 'session-opened' | 'session-adopted',
): () => void {
  const about = { session: ++toldSessions, revision: revision.date, transport: link.network };
  onEvent({ type, ...about });
  return () => onEvent({ type: 'session-ended', ...about, lastedMs: performance.now() - openedAt });
}
