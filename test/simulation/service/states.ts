/** What schedules come to, by name: a simulation is as good as what it reaches. */

/** Where a state can be: in every service, in one whose processes share a store, in a bridge of several, or where clients start processes of their own. */
export type Where = 'any' | 'shared' | 'bridge';

const everywhere = [
  'a request is refused by the network',
  'a request does not arrive',
  'a request is met with silence',
  'an answer is lost',
  'an answer is cut',
  'a connection is half open',
  'somebody between has no process to send to',
  'an answer is said wrong',
  'something wrong is said between events',
  'nothing reaches anybody',
  'no stream can be read',
  'a connection breaks with its process',
  'a stream that broke is taken up',
  'nothing can be taken up',
  'a session is not known',
  'a stream is open already',
  'a process has no room',
  'one principal has too much',
  'nobody is let in without credentials',
  'scopes are missing',
  'a batch is answered',
  'an answer becomes a stream',
  'a stream for what belongs to no request is open',
  'a subscription is open',
  'a message comes over HTTP+SSE',
  'a session is ended by its client',
  'a question is answered',
  'a request is cancelled',
  'a process dies',
  'a process stands still',
  'a process drains',
  'a clock is set',
  'a list changes',
  'a resource changes',
  'tokens are taken back',
  'a session is opened',
  'a session ends',
  'a store is full',
  'something is too large for a store',
  'a writer is fenced',
  'a process of a client dies',
  'a process of a client cannot be started',
] as const;

const shared = [
  'a stream is taken up at another process',
  'a session is adopted',
  'a store is away',
  'a store falters',
  'a store is emptied',
  'a replica takes over',
  'a process hears nothing of its store',
  'nobody hears a text',
  'a stream is claimed',
  'a stream is taken from another process',
  'a process reads the stream of another',
  'a change of a session is told',
  'the end of a session is told',
  'a question is answered at another process',
  'a message is delivered by another process',
  'another process was quicker to write a record',
  'texts that make no sense are told',
  'a record makes no sense',
] as const;

const bridged = ['a call that waits is taken up at another process'] as const;

/** The name of a state. */
export type State = (typeof everywhere)[number] | (typeof shared)[number] | (typeof bridged)[number];

const byPlace: Readonly<Record<Where, readonly State[]>> = { any: everywhere, shared, bridge: bridged };

/** All of them. */
export const states: readonly State[] = [...everywhere, ...shared, ...bridged];

/** Those that schedules of a kind come to. */
export function statesOf(...places: readonly Where[]): readonly State[] {
  return places.flatMap((place) => byPlace[place]);
}

/** What a text is about that a process tells others, by the kind that it says; kinds that are left out are none of a state. */
const told: ReadonlyMap<string, State> = new Map<string, State>([
  ['claimed', 'a stream is claimed'],
  ['taken', 'a stream is taken from another process'],
  ['reading', 'a process reads the stream of another'],
  ['changed', 'a change of a session is told'],
  ['ended', 'the end of a session is told'],
  ['message', 'a question is answered at another process'],
  ['deliver', 'a message is delivered by another process'],
  ['take', 'a call that waits is taken up at another process'],
]);

/** The state that a text on a bus shows; `undefined` where it shows none. */
export function stateOfText(text: string): State | undefined {
  const kind = /^t\{"kind":"([a-z-]+)"/.exec(text)?.[1];
  return kind === undefined ? undefined : told.get(kind);
}

/** The state that the status of an answer shows. */
export const stateOfStatus: ReadonlyMap<number, State> = new Map<number, State>([
  [401, 'nobody is let in without credentials'],
  [403, 'scopes are missing'],
  [404, 'a session is not known'],
  [409, 'a stream is open already'],
  [429, 'one principal has too much'],
  [503, 'a process has no room'],
]);

/** The state that a fault of a plan shows, by its kind. */
export const stateOfFault: ReadonlyMap<string, State> = new Map<string, State>([
  ['kill', 'a process dies'],
  ['stop', 'a process stands still'],
  ['drain', 'a process drains'],
  ['clock', 'a clock is set'],
  ['change', 'a list changes'],
  ['news', 'a resource changes'],
  ['take back', 'tokens are taken back'],
]);
