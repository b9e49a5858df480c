import type { Harness } from '../../harness/harness.ts';
import { besideIdle, listensWithin, restartMs } from '../../alive.ts';
import type { ProbeRule } from '../../rule.ts';
import type { Suspect } from '../../harness/suspects.ts';
import { breaks, holds, type RuleVerdict } from '../../harness/verdict.ts';

/** Most rules that are run once more, each of which may end the server, and messages that are named beside the first. */
const most = { again: 5, named: 3 };

/** Rule about the messages of all others: it runs after them, and alone. */
export const outlives: ProbeRule = {
  id: 'harden-alive',
  once: true,
  lastly: true,
  mayEnd: true,
  message: 'The server survives each message of the other rules',
  fix: 'answer with an error, or drop the message, and go on; catch what handlers of events throw',
  async probe(harness) {
    const suspects = harness.suspects.take();
    const [first, ...others] = suspects;
    if (first === undefined) return holds;
    if (harness.over !== 'stdio' && !(await listensWithin(harness.http.url, restartMs)))
      return breaks(first.exchange, `nothing listens there any more: this was on its way${alsoSent(others)}`);
    return await onceMore(harness, suspects.slice(0, most.again));
  },
};

/** Runs what was going on when the server went away once more, by itself: it has to go away again. */
async function onceMore(harness: Harness, suspects: readonly Suspect[]): Promise<RuleVerdict> {
  const { over, suspects: known } = harness;
  for (const { again } of suspects) {
    const sent = async (): Promise<Suspect | undefined> => {
      // Findings about the rule itself were reported before.
      await again();
      return known.take()[0];
    };
    // Who speaks by lines has a process of its own.
    const [suspect, isEnded] =
      over === 'stdio' ? [await sent(), true] : await besideIdle(harness.http.url, sent, (one) => one !== undefined);
    if (suspect !== undefined && isEnded)
      return breaks(suspect.exchange, 'it ended at this, and when it was sent once more');
    if (over !== 'stdio' && !(await listensWithin(harness.http.url, restartMs))) break;
  }
  return holds;
}

/** Methods of the concurrent requests, as text. */
function alsoSent(others: readonly Suspect[]): string {
  const names = others.slice(0, most.named).map(({ exchange }) => /"method":"([^"]*)"/.exec(exchange.sent)?.[1] ?? '');
  const known = [...new Set(names)].filter((name) => name !== '');
  return known.length === 0 ? '' : `, and beside it ${known.join(', ')}`;
}
