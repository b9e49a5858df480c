import { appTools } from '../catalogue/app.ts';
import { changeTool } from '../catalogue/listening.ts';
import { canDie } from '../catalogue/tools.ts';
import { droppedTool } from '../dropped.ts';
import { dyingTool } from '../served-process.ts';
import type { ClientSession } from '../client-session.ts';

/** One step for the user of the client. */
export interface GuideStep {
  readonly id: string;
  /** Instructions for the user. */
  readonly words: string;
  /** True for an optional step. */
  readonly isMore?: true;
  /** Tells whether a conversation shows that the step was done. */
  isDone(clientSession: ClientSession): boolean;
  /** Tells whether a client came to it and had nothing to do, for what it declared: it is not missed then. */
  isVain?(clientSession: ClientSession, talks: readonly ClientSession[]): boolean;
}

/** Steps in their order. */
export const steps: readonly GuideStep[] = [
  { id: 'connect', words: 'connect', isDone: ({ stage }) => stage === 'ready' },
  { id: 'list', words: 'list all its tools', isDone: ({ done }) => done.has('tools/list') },
  { id: 'echo', words: 'call the tool echo with {"text": "hello"}', isDone: ({ done }) => done.has('said hello') },
  {
    id: 'ask',
    words: 'call the tool ask, and answer what it asks',
    // Of rounds none ends with a result before it was answered.
    isDone: ({ done, roundCount }) =>
      done.has('answered ask') && (roundCount > 0 || [...done].some((one) => one.startsWith('answers '))),
    isVain: ({ done, capabilities: { roots, sampling, elicitation } }) =>
      done.has('answered ask') && roots === undefined && sampling === undefined && elicitation === undefined,
  },
  {
    id: 'slow',
    words: 'call the tool slow, as a task where the client knows tasks, and wait for its result',
    isDone: ({ done }) => done.has('answered slow'),
  },
  {
    id: 'endless',
    words: 'call the tool endless, and give it up while it runs (it ends after 20 seconds)',
    isDone: ({ done }) => done.has('gave up endless'),
  },
  {
    id: 'dropped',
    words: `where there is a tool ${droppedTool}: call it, whose stream breaks off, and wait for its answer, or call it again`,
    isMore: true,
    isDone: ({ done }) => done.has(`answered ${droppedTool}`),
  },
  {
    id: changeTool,
    words: `where there is a tool ${changeTool}: listen for changes of the tools, call it three times, and listen again whenever the stream ends`,
    isMore: true,
    isDone: ({ changeCount, streamCount }) => changeCount > 0 && streamCount > 1,
  },
  {
    id: dyingTool,
    words: `where there is a tool ${dyingTool}: while the client listens for changes, call it, which fails, then call echo again, and go on listening for ten seconds`,
    isDone: ({ process, done }) => process?.before !== undefined && done.has('call echo'),
    isVain: ({ done }, talks) =>
      done.has('call echo') &&
      !talks.some(
        (clientSession) => clientSession.revision !== undefined && canDie(clientSession.revision, clientSession),
      ),
  },
  {
    id: appTools.shown,
    words: `where the client has a place for apps: call the tool ${appTools.shown}, and show its app for a few seconds`,
    isMore: true,
    isDone: ({ done }) => done.has(`call ${appTools.reports}`),
  },
  {
    id: 'lost',
    words: 'where there is a tool lost: call it, which fails, then call echo and slow again',
    isDone: ({ done, isAfterLoss }) => isAfterLoss && done.has('call echo') && done.has('call slow'),
    // Where there is none of any of them nothing can be lost.
    isVain: ({ done }, talks) => done.has('call echo') && !talks.some(canLose),
  },
];

/** Tells whether a conversation has the tool that ends its session. */
function canLose({ over, revision }: ClientSession): boolean {
  return over === 'http' && revision?.sessions === true;
}

/** Steps that are not to be left out. */
export const neededSteps: readonly GuideStep[] = steps.filter(({ isMore }) => isMore !== true);

/** Lists the steps that are missing yet in all conversations. */
export function stepsMissing(talks: readonly ClientSession[]): readonly GuideStep[] {
  const isOver = (step: GuideStep, clientSession: ClientSession): boolean =>
    step.isDone(clientSession) || step.isVain?.(clientSession, talks) === true;
  return neededSteps.filter((step) => !talks.some((clientSession) => isOver(step, clientSession)));
}

/** Tells which steps are done in any conversation. */
export function stepsDone(talks: readonly ClientSession[]): ReadonlySet<string> {
  return new Set(steps.filter((step) => talks.some((clientSession) => step.isDone(clientSession))).map(({ id }) => id));
}
