import { isObject } from '../../../jsonrpc/message.ts';
import { wantsInput } from '../../bench/calls.ts';
import type { ProbeRule } from '../../rule.ts';
import { breaks, holds, notApplicable } from '../../verdict.ts';

/** Rules about what a server asks one time after another. */

const idsOnce: ProbeRule = {
  id: 'basic-007',
  needs: 'tools',
  words: 'No request to a client has an id that another had in the session',
  mend: 'count the ids up for as long as the session lasts',
  async probe(bench) {
    const made = await bench.made('obliging');
    const isSession = await bench.asked((speaker) =>
      Promise.resolve(speaker.over !== 'http' || speaker.session !== undefined),
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

const moreRounds: ProbeRule = {
  id: 'mrtr-027',
  needs: 'tools',
  words: 'A request that asks more than once is answered when all of it was',
  mend: 'take the answers to a second question as those to the first, with the state that came with it',
  async probe(bench) {
    const made = (await bench.made('obliging')).filter(
      ({ rounds: [first, second] }) => first && second && wantsInput(first) && wantsInput(second),
    );
    for (const { of, last } of made)
      if (last.response?.error !== undefined)
        return breaks(last, `${of.name}: a later answer was refused`, `tools/${of.name}`);
    return made.some(({ result }) => result !== undefined)
      ? holds
      : notApplicable('no tool that was called asks twice, and ends when it is answered');
  },
};

/** Rules about several questions. */
export const sequenceRules: readonly ProbeRule[] = [idsOnce, moreRounds];
