import { droppedTool } from './dropped.ts';
import type { Talk } from './talk.ts';

/** One thing that whoever drives the client does. */
export interface GuideStep {
  readonly id: string;
  /** Words for whoever drives it. */
  readonly words: string;
  /** True for what may be left out. */
  readonly isMore?: true;
  /** Tells whether a conversation shows that it was done; `undefined` where there is nothing to do in it. */
  isDone(talk: Talk): boolean;
}

/** Steps in their order. */
export const steps: readonly GuideStep[] = [
  { id: 'connect', words: 'connect', isDone: ({ stage }) => stage === 'ready' },
  { id: 'list', words: 'list all its tools', isDone: ({ done }) => done.has('tools/list') },
  { id: 'echo', words: 'call the tool echo with {"text": "hello"}', isDone: ({ done }) => done.has('call echo') },
  { id: 'ask', words: 'call the tool ask, and answer what it asks', isDone: ({ done }) => done.has('answered ask') },
  {
    id: 'slow',
    words: 'call the tool slow, as a task where the client knows tasks, and wait for its result',
    isDone: ({ done }) => done.has('answered slow'),
  },
  {
    id: 'endless',
    words: 'call the tool endless, and give it up while it runs (it ends after 20 seconds)',
    isDone: ({ done }) => done.has('gave up endless') || done.has('answered endless'),
  },
  {
    id: 'dropped',
    words: `where there is a tool ${droppedTool}: call it, whose stream breaks off, and wait for its answer, or call it again`,
    isMore: true,
    isDone: ({ done }) => done.has(`answered ${droppedTool}`),
  },
  {
    id: 'lost',
    words: 'where there is a tool lost: call it, which fails, then call echo and slow again',
    isDone: ({ done, isAfterLoss, over, revision }) =>
      (isAfterLoss && done.has('call echo')) ||
      (revision !== undefined && done.has('call echo') && (over !== 'http' || !revision.sessions)),
  },
];

/** Steps that are not to be left out. */
export const neededSteps: readonly GuideStep[] = steps.filter(({ isMore }) => isMore !== true);

/** Tells which steps are done in any conversation. */
export function stepsDone(talks: readonly Talk[]): ReadonlySet<string> {
  return new Set(steps.filter((step) => talks.some((talk) => step.isDone(talk))).map(({ id }) => id));
}
