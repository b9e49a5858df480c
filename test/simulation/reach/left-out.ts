/** Branches that no schedule is to reach, by what stands at them, and why not. */

const mistake = 'a mistake of who writes the program, which throws at once';
const foreign = 'what no process of ours writes into a store or says on a bus, read with care all the same';
const passedOn = 'an error that is none of those that are dealt with here, passed on as it is';
const inert =
  'a function that stands where another one is put before anybody calls it, or that does nothing on purpose';
const observed = 'only where somebody observes what is sent, as tests do and this count does not';

/** By file: what stands at the beginning of the branch, and why it is left out. */
const leftOut: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'store/given.ts': {
    'throw new TypeError(`store must be': mistake,
    '?? null);': mistake,
    '?? 0) === 0)': mistake,
    "throw new TypeError('a store that processes share": mistake,
  },
  'store/events.ts': { 'throw new TypeError(`${name} of events': mistake },
  'store/long-texts.ts': { '() => undefined) => {': inert, 'return undefined;': foreign },
  'store/turns.ts': { '(): void => {};': inert },
  'store/memory/store.ts': { '() => undefined,': inert },
  'http/server/lasting.ts': { '?? {}) as': mistake, 'throw new TypeError(': mistake },
  'http/server/sse-pair.ts': { 'throw cause;': passedOn },
  'http/server/session/sessionless.ts': { 'throw new TypeError("a bridge cannot': mistake },
  'http/server/session/sessions.ts': { 'throw cause;': passedOn },
  'http/server/session/streams.ts': { '() => undefined,': inert },
  'http/server/session/shared/words.ts': { ': undefined;': foreign, 'return undefined;': foreign, 'catch {': foreign },
  'http/server/session/shared/kept-session.ts': {
    'return undefined;': foreign,
    '? undefined : {': foreign,
    'catch {': foreign,
  },
  'http/server/session/shared/about-stream.ts': { ': undefined;': foreign, "&& ('result' in value": foreign },
  'http/server/session/shared/company.ts': { '() => undefined;': inert },
  'http/server/session/shared/shared-streams.ts': { '() => undefined,': inert },
  'http/client/answer.ts': { 'throw error;': passedOn },
  'http/client/sse-pair.ts': { '() => {},': inert, ': new Error(String(error))': passedOn },
  'host/input/by-rounds.ts': { '() => undefined;': inert },
  'client/connection/deliver.ts': { '(): void => {};': inert },
  'client/subscriptions/listen.ts': { ": new ConnectionError('closed', 'the subscription broke off'": passedOn },
  'client/subscriptions/subscriptions.ts': {
    'throw new TypeError(`a subscription has at most': mistake,
    'throw new TypeError(`a client has at most': mistake,
    ": new Error('connecting failed'": passedOn,
  },
  'peer/connection.ts': { 'tell({ from': observed },
};

/** Tells whether a branch that never ran is left out. */
export function isLeftOut(file: string, text: string): boolean {
  return Object.keys(leftOut[file] ?? {}).some((beginning) => text.startsWith(beginning));
}
