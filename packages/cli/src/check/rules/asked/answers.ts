import type { JsonObject } from '../../../../../parley/src/protocol/features/common.ts';
import { isObject } from '../../../../../parley/src/jsonrpc/message.ts';
import type { Harness } from '../../harness/harness.ts';
import type { CallableTool } from '../../harness/allowed.ts';
import {
  completeIn,
  makeCall,
  nextRound,
  questionsIn,
  obligingResult,
  sendCall,
  wantsInput,
  type Responder,
  type MadeCall,
} from '../../harness/calls.ts';
import { errorCodeIn } from '../../harness/exchange.ts';
import type { RequestExchange } from '../../harness/probe-client.ts';
import type { ProbeRule } from '../../rule.ts';
import { breaks, holds, NotJudged, notApplicable, unless, type RuleVerdict } from '../../harness/verdict.ts';
import { sortedText } from '../common/canonical.ts';

/** Rules about what a server makes of the answers to its questions, be they asked by requests or by results. */

/** A tool that asked by a form, and the words of its result. */
interface AskingTool {
  readonly of: CallableTool;
  readonly words: string;
}

/** Tools that ask by a form with fields, and end when it is filled in. */
async function askingTools(harness: Harness): Promise<readonly AskingTool[]> {
  await harness.made('obliging');
  return await harness.kept('tools that ask', () =>
    harness.asked(async (probeClient) => {
      const found: AskingTool[] = [];
      for (const { of, result } of await harness.made('obliging')) {
        if (result === undefined || result['isError'] === true) continue;
        let asks = false;
        const again = await makeCall(probeClient, of, {
          answer(question) {
            asks ||= firstField(question) !== undefined;
            return obligingResult(question);
          },
        });
        const words = wordsOf(again);
        if (asks && words !== undefined) found.push({ of, words });
      }
      return found;
    }),
  );
}

function wordsOf({ result }: Pick<MadeCall, 'result'>): string | undefined {
  return result === undefined || result['isError'] === true
    ? undefined
    : sortedText({ content: result['content'], structuredContent: result['structuredContent'] });
}

/** The first field of a form; `undefined` for another question. */
function firstField({ method, params }: JsonObject): string | undefined {
  if (method !== 'elicitation/create' || !isObject(params) || params['mode'] === 'url') return undefined;
  const schema = params['requestedSchema'];
  const properties = isObject(schema) ? schema['properties'] : undefined;
  return isObject(properties) ? Object.keys(properties)[0] : undefined;
}

/** Calls each tool that asks, with other answers, and judges how it ends. */
async function onAnswers(
  harness: Harness,
  answer: Responder,
  judge: (call: MadeCall, right: string) => string | undefined,
): Promise<RuleVerdict> {
  const tools = await askingTools(harness);
  return await harness.asked(async (probeClient) => {
    for (const { of, words } of tools) {
      const call = await makeCall(probeClient, of, { answer });
      const found = judge(call, words);
      if (found !== undefined) return breaks(call.last, `${of.name}: ${found}`, `tools/${of.name}`);
    }
    return tools.length > 0
      ? holds
      : notApplicable('no tool that was called asks by a form, and ends when it is filled in');
  });
}

/** A value that no field of a form can have: those are texts, numbers, choices and lists of those. */
const misfit = { 'parley-check': true };

/** A rule that what is filled in is validated, by the row of a time. */
const validated = (id: 'elicit-005' | 'elicit-060'): ProbeRule => ({
  id,
  message: 'Form answers are validated against the requestedSchema',
  fix: 'validate content by requestedSchema before it is used',
  needs: 'tools',
  probe: (harness) =>
    onAnswers(
      harness,
      (question) => {
        const field = firstField(question);
        const right = obligingResult(question);
        if (field === undefined || !isObject(right?.['content'])) return right;
        return { ...right, content: { ...right['content'], [field]: misfit } };
      },
      (call, right) =>
        wordsOf(call) === right ? 'an object instead of a plain value was accepted as the answer' : undefined,
    ),
});

const declined: ProbeRule = {
  id: 'elicit-035',
  message: 'A call is answered even if its elicitation is declined or cancelled',
  fix: 'look at the action of the answer, and say in the result what came of it',
  needs: 'tools',
  async probe(harness) {
    for (const action of ['decline', 'cancel']) {
      const verdict = await onAnswers(
        harness,
        (question) => (question['method'] === 'elicitation/create' ? { action } : obligingResult(question)),
        ({ last }) => {
          if (last.response === undefined) return `with the action ${action} it was not answered`;
          return errorCodeIn(last) === -32603 ? `with the action ${action} it ended with the error -32603` : undefined;
        },
      );
      if (verdict.verdict !== 'holds') return verdict;
    }
    return holds;
  },
};

/** Has what a tool makes of odd rounds judged. */
async function onRounds(
  harness: Harness,
  judge: (tool: AskingTool, ask: () => Promise<RequestExchange>) => Promise<RuleVerdict>,
): Promise<RuleVerdict> {
  const tools = await askingTools(harness);
  return await harness.asked(async (probeClient) => {
    let last = notApplicable('no tool that was called asks by a form, and ends when it is filled in');
    for (const tool of tools) {
      last = await judge(tool, async () => {
        const answer = await sendCall(probeClient, tool.of);
        if (!wantsInput(answer)) throw new NotJudged(`${tool.of.name} did not ask again`);
        return answer;
      });
      if (last.verdict === 'breaks')
        return { ...last, why: `${tool.of.name}: ${last.why}`, where: `tools/${tool.of.name}` };
    }
    return last;
  });
}

const parsed: ProbeRule = {
  id: 'mrtr-023',
  message: 'An input response that does not fit its request is not accepted',
  fix: 'check the shape of each of the inputResponses',
  needs: 'tools',
  probe: (harness) =>
    onRounds(harness, ({ of, words }, ask) =>
      harness.asked(async (probeClient) => {
        const first = await ask();
        const inputResponses = Object.fromEntries(questionsIn(first.result).map(([key]) => [key, 42]));
        const answer = await sendCall(probeClient, of, { params: { ...nextRound(first), inputResponses } });
        return unless(wordsOf({ result: completeIn(answer) }) === words, answer, 'a number was taken for an answer');
      }),
    ),
};

const malformed: ProbeRule = {
  id: 'mrtr-024',
  message: 'Malformed inputResponses are refused with a protocol error',
  fix: 'answer with the error -32602',
  needs: 'tools',
  probe: (harness) =>
    onRounds(harness, ({ of }, ask) =>
      harness.asked(async (probeClient) => {
        const first = await ask();
        const answer = await sendCall(probeClient, of, { params: { ...nextRound(first), inputResponses: 'none' } });
        return unless(answer.result !== undefined, answer, 'a text instead of inputResponses got a result');
      }),
    ),
};

/** Number of unanswered questions before the check that the server still works. */
const unanswered = 20;

const leavesOpen: ProbeRule = {
  id: 'mrtr-008',
  message: 'The server keeps serving if its input requests are not answered',
  fix: 'keep nothing for a request that asked, or no more than a few, and for a short time',
  needs: 'tools',
  probe: (harness) =>
    onRounds(harness, ({ of }, ask) =>
      harness.asked(async (probeClient) => {
        await ask();
        for (let asked = 1; asked < unanswered; asked++) {
          const answer = await sendCall(probeClient, of);
          if (!wantsInput(answer)) return breaks(answer, `after ${asked} questions without an answer it asked no more`);
        }
        return holds;
      }),
    ),
};

const bound: ProbeRule = {
  id: 'mrtr-014',
  message: 'The requestState of one request is refused in another',
  fix: 'seal the method and the parameters that matter into requestState, and compare them',
  needs: 'tools',
  probe: (harness) =>
    onRounds(harness, ({ of }, ask) =>
      harness.asked(async (probeClient) => {
        const own = nextRound(await ask());
        if (typeof own['requestState'] !== 'string') return notApplicable('the result that asks has no requestState');
        for (const { of: other } of await askingTools(harness)) {
          if (other.name === of.name) continue;
          const theirs = await sendCall(probeClient, other);
          // A state that says nothing is not looked at either.
          if (!wantsInput(theirs) || typeof theirs.result?.['requestState'] !== 'string') continue;
          const { inputResponses } = nextRound(theirs);
          const answer = await sendCall(probeClient, other, { params: { ...own, inputResponses } });
          const taken = completeIn(answer);
          return unless(
            taken !== undefined && taken['isError'] !== true,
            answer,
            `its state was taken by a call of ${other.name}`,
          );
        }
        return notApplicable('there are no two tools that ask, and keep a state');
      }),
    ),
};

/** Rules about answers. */
export const answerRules: readonly ProbeRule[] = [
  validated('elicit-005'),
  validated('elicit-060'),
  declined,
  parsed,
  malformed,
  leavesOpen,
  bound,
];
