/** The exercise: every step, since when it can be done, and what must come of it. */

import { revisionOf, type Revision } from '../../packages/parley/src/protocol/revision.ts';
import {
  both,
  expectCancelled,
  expectHeard,
  expectNames,
  expectResult,
  expectText,
  expectToolError,
  expectWords,
  field,
  sameJson,
  shown,
  textOf,
} from './judges.ts';
import type { Route } from './drive.ts';
import type { Outcome, Step } from './step.ts';

/** A step and its judge. */
export interface Exercise<Todo = Step> {
  readonly step: Todo;
  /** Whether both revisions of a route have it; all do by default. */
  readonly exists?: (revision: Revision, route: Route) => boolean;
  /** Whether it is answered on its own hop, whatever is behind a bridge. */
  readonly nearby?: true;
  /** Whether the handshake revisions have it in sessions alone. */
  readonly needsSession?: true;
  /** What is wrong with the outcome; `undefined` when nothing is. */
  readonly judge: (outcome: Outcome) => string | undefined;
}

const nothing = (): undefined => undefined;
const unicode = 'ünï漢字 👩‍👩‍👧 \u2028 \u0000 "\\';
const length = 1_000_000;

/** All of it, in order; `connect` comes before by itself. */
export const exercises: readonly Exercise[] = [
  {
    step: { id: 'ping', do: 'ping' },
    exists: ({ era }) => era === 'handshake',
    nearby: true,
    judge: expectResult(nothing),
  },
  { step: { id: 'tools', do: 'list', what: 'tools' }, judge: expectNames('add', 'echo', 'wait') },
  { step: { id: 'prompts', do: 'list', what: 'prompts' }, judge: expectNames('welcome') },
  { step: { id: 'resources', do: 'list', what: 'resources' }, judge: expectNames('memo://one') },
  { step: { id: 'templates', do: 'list', what: 'templates' }, judge: expectNames('user://{id}') },
  {
    step: { id: 'structured', do: 'call', name: 'add', arguments: { a: 2, b: 3 } },
    exists: since('2025-06-18'),
    judge: expectResult((result) => {
      const sum = field(field(result, 'structuredContent'), 'sum');
      return sum === 5 ? undefined : `the structured sum is ${JSON.stringify(sum)}`;
    }),
  },
  { step: { id: 'tool error', do: 'call', name: 'fail' }, judge: expectToolError('kettle') },
  {
    step: { id: 'unknown tool', do: 'call', name: 'no-such-tool' },
    judge: ({ error, ...rest }) =>
      error === undefined ? `no error but ${shown(rest)}` : error.code === -32602 ? undefined : `code ${error.code}`,
  },
  {
    step: {
      id: 'progress',
      do: 'call',
      name: 'count',
      progress: true,
      until: ['progress 1/3', 'progress 2/3', 'progress 3/3'],
    },
    judge: both(expectText('counted'), expectHeard('progress 1/3', 'progress 2/3', 'progress 3/3')),
  },
  {
    step: { id: 'progress and error', do: 'call', name: 'count-and-fail', progress: true },
    exists: (_, { side }) => side === 'client',
    judge: ({ error, ...rest }) =>
      error === undefined ? `no error but ${shown(rest)}` : error.code === -32603 ? undefined : `code ${error.code}`,
  },
  {
    step: { id: 'log', do: 'call', name: 'speak', level: 'info', until: ['log info hello'] },
    needsSession: true,
    judge: both(expectText('spoken'), expectHeard('log info hello')),
  },
  {
    step: { id: 'elicitation', do: 'call', name: 'ask' },
    needsSession: true,
    exists: ({ elicitation }) => elicitation !== 'none',
    judge: both(expectText('Ann'), expectHeard('asked elicitation')),
  },
  {
    step: { id: 'sampling', do: 'call', name: 'think' },
    needsSession: true,
    judge: both(expectText('well met'), expectHeard('asked sampling')),
  },
  {
    step: { id: 'roots', do: 'call', name: 'look' },
    needsSession: true,
    // Some SDKs answer by themselves, and tell nobody.
    judge: expectText('file:///home/ann'),
  },
  { step: { id: 'cancel', do: 'call', name: 'wait', progress: true, cancel: true }, judge: expectCancelled },
  {
    step: { id: 'cancelled there', do: 'call', name: 'given-up' },
    needsSession: true,
    // The server counts in its process. For a client without sessions, a bridge starts another one after a cancellation.
    exists: ({ era }, route) => era === 'handshake' || behindBridge(route) !== 'stdio',
    judge: expectText('1'),
  },
  {
    // A bridge that saw a tool ask lets it ask whatever was cancelled since.
    step: { id: 'asked after that', do: 'call', name: 'ask' },
    needsSession: true,
    exists: ({ elicitation }) => elicitation !== 'none',
    judge: both(expectText('Ann'), expectHeard('asked elicitation')),
  },
  {
    step: { id: 'completion', do: 'complete', prompt: 'welcome', argument: 'who', value: 'Ad' },
    judge: expectResult((result) => sameJson(result, ['Ada', 'Adele'])),
  },
  { step: { id: 'read', do: 'read', uri: 'memo://one' }, judge: expectWords('remember the milk') },
  { step: { id: 'read a template', do: 'read', uri: 'user://7' }, judge: expectWords('user 7') },
  {
    step: { id: 'prompt', do: 'prompt', name: 'welcome', arguments: { who: 'Ann' } },
    judge: expectWords('Please welcome Ann.'),
  },
  { step: { id: 'watch', do: 'watch', uri: 'memo://one' }, needsSession: true, judge: expectResult(nothing) },
  {
    step: { id: 'updated', do: 'call', name: 'touch', until: ['updated memo://one'] },
    needsSession: true,
    judge: both(expectText('touched'), expectHeard('updated memo://one')),
  },
  {
    step: { id: 'list changed', do: 'call', name: 'grow', until: ['tools'] },
    needsSession: true,
    judge: both(expectText('grown'), expectHeard('tools')),
  },
  { step: { id: 'unicode', do: 'call', name: 'echo', arguments: { text: unicode } }, judge: expectText(unicode) },
  {
    step: { id: 'large result', do: 'call', name: 'large', arguments: { length } },
    judge: expectText('x'.repeat(length)),
  },
  {
    step: {
      id: 'together',
      do: 'together',
      calls: Array.from({ length: 8 }, (_, at) => ({ name: 'slow', arguments: { text: `call ${at}`, ms: 100 } })),
    },
    judge: expectResult((result) =>
      sameJson(
        Array.isArray(result) ? result.map(textOf) : result,
        Array.from({ length: 8 }, (_, at) => `call ${at}`),
      ),
    ),
  },
  { step: { id: 'close', do: 'close' }, judge: expectResult(nothing) },
];

/** What `connect` must have come to. */
export function judgeConnect(outcome: Outcome): string | undefined {
  return expectResult((result) => {
    const revision = field(result, 'revision');
    return typeof revision === 'string' && revisionOf(revision) !== undefined
      ? undefined
      : `the revision is ${JSON.stringify(revision)}`;
  })(outcome);
}

/** How a bridge reaches its server; nothing where there is no bridge. */
function behindBridge({ side, way, bridge }: Route): string | undefined {
  return bridge === undefined ? undefined : side === 'server' ? way : bridge.way;
}

function since(date: string): (revision: Revision) => boolean {
  return (revision) => revision.date >= date;
}
