import type { JsonObject } from '../../../../../parley/src/protocol/features/common.ts';
import { obliging, type Harness } from '../../harness/harness.ts';
import type { CallableTool } from '../../harness/allowed.ts';
import { completeIn, wantsInput, nextRound, sendCall } from '../../harness/calls.ts';
import type { RequestExchange, ProbeClient } from '../../harness/probe-client.ts';
import type { ProbeRule } from '../../rule.ts';
import { breaks, holds, NotJudged, notApplicable, unless, type RuleVerdict } from '../../harness/verdict.ts';
import { wholeText } from '../../whole-text.ts';

/** Rules about calls that ask through their results: the contents of the next round. */

/** A tool that asks, with the way to call it again and to continue. */
interface Asking {
  readonly tool: CallableTool;
  readonly probeClient: ProbeClient;
  /** Calls it, and gives the result that asks. */
  ask(): Promise<RequestExchange>;
  /** Sends the round after that. */
  goOn(params: JsonObject): Promise<RequestExchange>;
}

/** Has each tool that asks judged, once it was seen to end when it is answered. */
async function eachAsking(harness: Harness, judge: (asking: Asking) => Promise<RuleVerdict>): Promise<RuleVerdict> {
  const made = (await harness.made('obliging')).filter(
    ({ rounds, result }) => rounds[0] !== undefined && wantsInput(rounds[0]) && result !== undefined,
  );
  if (made.length === 0) return notApplicable('no tool that was called asks, and ends when it is answered');
  const probeClient = await harness.fresh(obliging);
  let last: RuleVerdict = holds;
  try {
    for (const { of: tool } of made) {
      const verdict = await judge({
        tool,
        probeClient,
        async ask() {
          const answer = await sendCall(probeClient, tool);
          if (!wantsInput(answer)) throw new NotJudged(`${tool.name} did not ask again`);
          return answer;
        },
        goOn: (params) => sendCall(probeClient, tool, { params }),
      });
      if (verdict.verdict === 'breaks')
        return { ...verdict, why: `${tool.name}: ${verdict.why}`, where: `tools/${tool.name}` };
      last = verdict;
    }
    return last;
  } finally {
    await harness.end(probeClient);
  }
}

/** Texts that differ from one in a character each: a letter from a letter, a digit from a digit. */
function alteredTexts(text: string): readonly string[] {
  const places = [0.25, 0.5, 0.75].map((part) => Math.floor(text.length * part));
  return [...new Set(places)].flatMap((place) => {
    const at = place + text.slice(place).search(/[A-Za-z0-9]/);
    if (at < place) return [];
    const char = text.charAt(at);
    const other = /[0-9]/.test(char) ? wholeText((Number(char) + 1) % 10) : char === 'x' || char === 'X' ? 'k' : 'x';
    return [text.slice(0, at) + other + text.slice(at + 1)];
  });
}

function wordsOf({ result }: RequestExchange): string {
  return JSON.stringify({ content: result?.['content'], structuredContent: result?.['structuredContent'] });
}

const sealed: ProbeRule = {
  id: 'mrtr-011',
  message: 'A request with an altered requestState is refused',
  fix: 'seal the state (an HMAC, or encryption that authenticates), and refuse what does not verify',
  needs: 'tools',
  probe: (harness) =>
    eachAsking(harness, async ({ ask, goOn }) => {
      const first = nextRound(await ask());
      const state = first['requestState'];
      if (typeof state !== 'string') return notApplicable('the result that asks has no requestState');
      const right = await goOn(first);
      const again = await goOn(nextRound(await ask()));
      if (completeIn(right) === undefined) return notApplicable('it asks more than once');
      const isSteady = wordsOf(right) === wordsOf(again);
      const without = await goOn({ inputResponses: nextRound(await ask())['inputResponses'] });
      for (let at = 0; ; at++) {
        const fresh = nextRound(await ask());
        const altered = alteredTexts(wholeText(fresh['requestState']))[at];
        if (altered === undefined) return holds;
        const answer = await goOn({ ...fresh, requestState: altered });
        if (completeIn(answer) === undefined || answer.result?.['isError'] === true) continue;
        // A state that changes nothing needs no seal: it has to be seen that it is read.
        if (completeIn(without) === undefined || (isSteady && wordsOf(answer) !== wordsOf(right)))
          return breaks(
            answer,
            `the state ${JSON.stringify(altered).slice(0, 100)}, altered in a character, was served`,
          );
      }
    }),
};

const unexpected: ProbeRule = {
  id: 'mrtr-025',
  message: 'Input responses without an input request are ignored',
  fix: 'take of inputResponses what was asked for',
  needs: 'tools',
  probe: (harness) =>
    eachAsking(harness, async ({ ask, goOn }) => {
      const right = await goOn(nextRound(await ask()));
      const round = nextRound(await ask());
      const extra = { 'parley-check-extra': { action: 'accept', content: {} }, ...asObject(round['inputResponses']) };
      const answer = await goOn({ ...round, inputResponses: extra });
      return unless(right.result !== undefined && answer.result === undefined, answer, 'with one more it was refused');
    }),
};

const missing: ProbeRule = {
  id: 'mrtr-026',
  message: 'The server asks again for missing input',
  fix: 'answer with resultType input_required and the missing questions',
  needs: 'tools',
  probe: (harness) =>
    eachAsking(harness, async ({ ask, goOn }) => {
      const answer = await goOn({ ...nextRound(await ask()), inputResponses: {} });
      return unless(answer.response?.error !== undefined, answer, 'without an answer it was refused');
    }),
};

function asObject(value: unknown): JsonObject {
  return typeof value === 'object' && value !== null ? { ...value } : {};
}

/** Rules about rounds. */
export const nextRoundRules: readonly ProbeRule[] = [sealed, unexpected, missing];
