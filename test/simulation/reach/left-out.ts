/** Branches that no schedule is to reach, by what stands at them, and why not. */

const mistake = 'a mistake of who writes the program, which throws at once';
const foreign = 'what no process of ours writes into a store or says on a bus, read with care all the same';
const passedOn = 'an error that is none of those that are dealt with here, passed on as it is';
const inert =
  'a function that stands where another one is put before anybody calls it, or that does nothing on purpose';
const guard = 'a value that is there always, or a kind that never comes here, which types do not say';
const chance = 'two texts of more than 100 random bits that are the same';
const observed = 'only where somebody observes what is sent, as tests do and this count does not';

/** By file: what stands at the beginning of the branch, and why it is left out. */
export const leftOut: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'storage/given.ts': {
    'throw new TypeError(`store must be': mistake,
    '?? null);': mistake,
    '?? 0) === 0)': mistake,
    "throw new TypeError('a store that processes share": mistake,
  },
  'storage/events.ts': { 'throw new TypeError(`${name} of events': mistake },
  'storage/long-texts.ts': { '() => undefined) => {': inert, 'return undefined;': foreign },
  'storage/turns.ts': { '(): void => {};': inert },
  'storage/memory/store.ts': { '() => undefined,': inert },
  'transports/http/server/lasting.ts': { '?? {}) as': mistake, 'throw new TypeError(': mistake },
  'transports/http/server/sse-pair.ts': { 'throw cause;': passedOn },
  'transports/http/server/session/sessionless.ts': { 'throw new TypeError("a bridge cannot': mistake },
  // Who has no session has a problem, and who reads an event has a revision.
  'transports/http/server/session/sessions.ts': { 'throw cause;': passedOn, '?? missing(call)': guard },
  'transports/http/server/session/session.ts': { "?? 'none';": guard },
  'transports/http/server/session/stream.ts': { "? '' : `id: ${id}": guard },
  'transports/http/server/session/streams.ts': { '() => undefined,': inert },
  'transports/http/server/session/shared/replica-messages.ts': {
    ': undefined;': foreign,
    'return undefined;': foreign,
    'catch {': foreign,
  },
  'transports/http/server/session/shared/stored-session.ts': {
    'return undefined;': foreign,
    '? undefined : {': foreign,
    'catch {': foreign,
  },
  'transports/http/server/session/shared/about-stream.ts': { ': undefined;': foreign },
  'transports/http/server/session/shared/session-replicas.ts': {
    '() => undefined;': inert,
    "throw new StoreError('unavailable', 'the session could not be stored": chance,
  },
  // What is POSTed for a stream of HTTP+SSE is told to the streams of those, whose channel is another one.
  'transports/http/server/session/shared/shared-stream.ts': { '() => undefined,': inert },
  'transports/http/server/session/shared/shared-streams.ts': { '() => undefined,': inert, '?? [];': guard },
  'transports/http/server/session/shared/stream-reader.ts': { '?? 0;': guard, '?? this.#last;': guard },
  'transports/http/client/answer.ts': { 'throw error;': passedOn, "?? '';": guard, '?? 0 });': guard },
  'transports/http/client/sse-pair.ts': {
    '() => {},': inert,
    ': new Error(String(error))': passedOn,
    '?? this.#requests.url,': guard,
  },
  'server/runtime/input/live-requester.ts': { '?? {};': guard },
  'server/runtime/input/handler-rounds.ts': { '() => undefined;': inert },
  'server/runtime/input/mrtr-requester.ts': {
    '? {} : { seed }': guard,
    '{\n      throw new TypeError(`two questions': mistake,
  },
  'bridge/upstream/suspended/finished.ts': { '?? [undefined, 0];': guard },
  'bridge/upstream/suspended/notice-backlog.ts': { '?? 0;': guard },
  'server/runtime/input/state-store.ts': { '?? 0;': guard },
  'storage/memory/heap.ts': { '?? place);': guard },
  'client/connection/deliver.ts': { '(): void => {};': inert },
  'client/subscriptions/listen.ts': { ": new ConnectionError('closed', 'the subscription broke off'": passedOn },
  // `covers` is asked about what a server told, which is never that it was opened again.
  'client/api/subscription.ts': { 'return true;': guard },
  'bridge/upstream/suspended/bus.ts': { ': undefined;': foreign, 'catch {': foreign },
  'bridge/upstream/suspended/call-resumer.ts': { 'return;': foreign },
  'bridge/upstream/suspended/call-owner.ts': { '(): void => undefined;': inert },
  'bridge/upstream/suspended/suspended-call.ts': { '? undefined : (fromWire(': guard },
  'client/subscriptions/subscriptions.ts': {
    'throw new TypeError(`a subscription has at most': mistake,
    'throw new TypeError(`a client has at most': mistake,
    ": new Error('connecting failed'": passedOn,
  },
  'connection/connection.ts': { 'tell({ from': observed },
};

/** All of it in lines, for who wants to judge whether that is right. */
export function leftOutLines(): readonly string[] {
  return Object.entries(leftOut).flatMap(([file, branches]) =>
    Object.entries(branches).map(([beginning, reason]) => `${file}: ${beginning.split('\n')[0] ?? ''} (${reason})`),
  );
}

/** Tells whether a branch that never ran is left out. */
export function isLeftOut(file: string, text: string): boolean {
  return Object.keys(leftOut[file] ?? {}).some((beginning) => text.startsWith(beginning));
}
