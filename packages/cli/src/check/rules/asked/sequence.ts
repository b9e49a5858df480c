import { isObject } from '../../../../../parley/src/jsonrpc/message.ts';
import { wantsInput } from '../../harness/calls.ts';
import { errorCodeOf } from '../../harness/exchange.ts';
import type { ProbeRule } from '../../rule.ts';
import { breaks, holds, notApplicable, notJudged } from '../../harness/verdict.ts';

/** Rules about what a server asks one time after another. */

const idsOnce: ProbeRule = {
  id: 'basic-007',
  needs: 'tools',
  message: 'No two requests to a client in one session have the same id',
  fix: 'count the ids up for as long as the session lasts',
  async probe(harness) {
    const made = await harness.made('obliging');
    const isSession = await harness.asked((probeClient) =>
      Promise.resolve(probeClient.over !== 'http' || probeClient.session !== undefined),
    );
    if (!isSession) return notApplicable('it has no sessions');
    const seen = new Set<string>();
    for (const { of, rounds } of made)
      for (const round of rounds)
        for (const message of round.messages.flat()) {
          if (!isObject(message) || typeof message['method'] !== 'string' || message['id'] === undefined) continue;
          const id = JSON.stringify(message['id']);
          if (seen.has(id)) return breaks(round, `${of.name}: ${id} was used before`, `tools/${of.name}`);
          seen.add(id);
        }
    return seen.size > 1 ? holds : notApplicable('no tools that were called ask twice');
  },
};

/** Codes by which a request is refused for itself, whatever was answered: it is none, or its method is not known. */
const unknownCodes: ReadonlySet<unknown> = new Set([-32_600, -32_601]);

const moreRounds: ProbeRule = {
  id: 'mrtr-027',
  needs: 'tools',
  message: 'A request with several rounds of input completes after the last round',
  fix: 'take the answers to a second question as those to the first, with the state that came with it',
  async probe(harness) {
    const made = (await harness.made('obliging')).filter(
      ({ rounds: [first, second] }) => first && second && wantsInput(first) && wantsInput(second),
    );
    const refused = made.filter(({ last }) => last.response?.error !== undefined);
    const broken = refused.find(({ last }) => unknownCodes.has(errorCodeOf(last.response)));
    if (broken !== undefined)
      return breaks(broken.last, `${broken.of.name}: a later answer was refused`, `tools/${broken.of.name}`);
    // The answers were made up, and pages are not opened: a tool may end by an error for that.
    if (refused[0] !== undefined)
      return notJudged(`${refused[0].of.name} ended with an error, maybe because of the answers`);
    return made.some(({ result }) => result !== undefined)
      ? holds
      : notApplicable('no tool that was called asks twice, and ends when it is answered');
  },
};

/** Rules about several questions. */
export const sequenceRules: readonly ProbeRule[] = [idsOnce, moreRounds];
