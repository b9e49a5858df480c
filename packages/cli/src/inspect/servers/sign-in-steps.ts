import type { Fetch, FetchRequest } from '../../../../parley/src/jsonrpc/fetch.ts';
import { after } from '../../../../parley/src/jsonrpc/timeout.ts';
import { VerbError } from '../http/body.ts';
import type { SignInPart, SignInStepView } from '../view.ts';

/** Most steps that are told of. */
const most = 40;

/** Time limit of what waits for the person, in milliseconds. */
const limitMs = 15 * 60_000;

/** Time that an answer may take once its request is let go, in milliseconds. */
const answerMs = 10_000;

/** Words of a step that happens by itself, too. */
const renewal = 'renews the login by its refresh token';

/** Circumstances of the sign-ins at one connection. */
export interface SignInCircumstances {
  /** Tells whether the person wants each step to wait until they let it go. */
  pauses(): boolean;
  /** Tells whether there is a connection. */
  isOpen(): boolean;
  /** Ends every wait. */
  readonly signal: AbortSignal;
  changed(steps: readonly SignInStepView[]): void;
}

/** A `fetch` whose requests are recorded. @param row Hears of the row of a request. */
type RecordedFetch = (row: (n: number) => void) => Fetch;

/** A step that is to be made. */
interface WantedStep {
  readonly part: SignInPart;
  readonly words: string;
  /** True where it waits until the person lets it go. */
  readonly waits: boolean;
  readonly signal: AbortSignal;
}

/** Steps of the last sign-in at one connection, in the order in which they happen: of the first one, or of one for more. */
export class SignInSteps {
  readonly #circumstances: SignInCircumstances;
  readonly #waiting = new Map<number, () => void>();
  #steps: readonly SignInStepView[] = [];
  #count = 0;
  /** Page at which the user signs in, and its step. */
  #page: { readonly id: number; readonly url: string } | undefined;
  /** True where the person clicked to sign in, so that the page may be opened. */
  #isWanted = false;

  constructor(circumstances: SignInCircumstances) {
    this.#circumstances = circumstances;
  }

  /** Does what a person clicked for. */
  async wanted<Result>(work: () => Promise<Result>): Promise<Result> {
    this.#isWanted = true;
    try {
      return await work();
    } finally {
      this.#isWanted = false;
      this.#endPage('failed');
    }
  }

  /** The same `fetch`, whose requests are steps. */
  over(send: RecordedFetch): Fetch {
    const stepping: Fetch = async (url, request) => {
      const isRenewal = isOfGrant(request, 'refresh_token');
      if (isOfGrant(request, 'authorization_code')) {
        this.#endPage('done');
        this.#add({ part: 'code', words: 'the browser came back with it' });
      }
      const { origin, pathname } = new URL(url);
      const step = {
        part: partOf(request, url),
        words: isRenewal ? renewal : `${request.method} ${origin}${pathname}`,
        // A renewal goes on behind a request, under a lock, and nobody may know that it waits.
        waits: this.#holds() && !isRenewal,
        signal: request.signal,
      };
      return await this.#step(step, (id) => {
        const recorded = send((row) => this.#change(id, { row }));
        return this.#holds() ? inTime(recorded, url, request) : recorded(url, request);
      });
    };
    return Object.assign(stepping, { limitMs: () => (this.#holds() ? limitMs : undefined) });
  }

  /** Is asked before the page is opened: that waits for the person who did not click to sign in. @throws what ended the sign-in. */
  async beforePage(signal: AbortSignal, url: string): Promise<void> {
    const waits = this.#holds() || !this.#isWanted;
    const words = this.#isWanted ? 'opens the page to sign in' : 'opens the page to allow more';
    const id = this.#add({ part: 'browser', words, state: waits ? 'waits' : 'runs' });
    const over = AbortSignal.any([signal, this.#circumstances.signal]);
    try {
      if (waits) await this.#turn(id, over);
    } catch (error) {
      this.#change(id, { state: 'failed' });
      throw error;
    }
    // It is done when the browser comes back, and not when the page is open.
    this.#page = { id, url };
    this.#change(id, { state: 'runs', hasPage: true });
    const ended = (): void => {
      if (this.#page?.id === id) this.#endPage('failed');
    };
    over.addEventListener('abort', ended, { once: true });
  }

  /** Address of the page at which the user signs in; `undefined` where none is open. */
  get page(): string | undefined {
    return this.#page?.url;
  }

  #endPage(state: 'done' | 'failed'): void {
    if (this.#page === undefined) return;
    const { id } = this.#page;
    this.#page = undefined;
    this.#change(id, { state, hasPage: false });
  }

  /** Takes that a server refused a request for lack of scopes: a sign-in for more begins. */
  challenged(row: number): void {
    if (this.#steps.some((step) => step.row === row)) return;
    this.#add({ part: 'challenge', words: 'the server wants more than was granted', row });
  }

  /** Takes that the answer to the request of a row breaks something. */
  broken(row: number, broken: readonly string[]): void {
    const step = this.#steps.find((one) => one.row === row);
    if (step !== undefined) this.#change(step.id, { broken: [...new Set([...(step.broken ?? []), ...broken])] });
  }

  /** Lets a step go that waits, and no other: a second click is not for the next one. @throws VerbError where it does not wait. */
  goOn(id: number): void {
    const go = this.#waiting.get(id);
    if (go === undefined) throw new VerbError(409, 'this step waits no more');
    go();
  }

  /** Tells whether a step waits; what a connection looks for by itself is not held, since nobody knows of it. */
  #holds(): boolean {
    const { pauses, isOpen } = this.#circumstances;
    return pauses() && (this.#isWanted || isOpen());
  }

  async #step<Result>(
    { part, words, waits, signal }: WantedStep,
    run: (id: number) => Promise<Result>,
  ): Promise<Result> {
    const id = this.#add({ part, words, state: waits ? 'waits' : 'runs' });
    try {
      if (waits) {
        await this.#turn(id, AbortSignal.any([signal, this.#circumstances.signal]));
        this.#change(id, { state: 'runs' });
      }
      const result = await run(id);
      this.#change(id, { state: 'done' });
      return result;
    } catch (error) {
      this.#change(id, { state: 'failed' });
      throw error;
    }
  }

  async #turn(id: number, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    let give = (): void => {};
    try {
      await new Promise<void>((resolve, reject) => {
        give = () => reject(signal.reason instanceof Error ? signal.reason : new Error('given up'));
        this.#waiting.set(id, resolve);
        signal.addEventListener('abort', give, { once: true });
      });
    } finally {
      this.#waiting.delete(id);
      signal.removeEventListener('abort', give);
    }
  }

  #add({ state = 'done', ...step }: Omit<SignInStepView, 'id' | 'state'> & Partial<SignInStepView>): number {
    const id = ++this.#count;
    this.#tell([...this.#before(step.words), { ...step, id, state }].slice(-most));
    return id;
  }

  /** The steps that one comes after: those of a sign-in that ended give way to another, and a renewal to the next. */
  #before(words: string): readonly SignInStepView[] {
    if (words === renewal) return this.#steps.filter((step) => step.words !== renewal);
    const isOver = this.#steps.every(({ state }) => state === 'done' || state === 'failed');
    return isOver && this.#steps.some(({ part }) => part === 'token') ? [] : this.#steps;
  }

  #change(id: number, more: Partial<SignInStepView>): void {
    this.#tell(this.#steps.map((step) => (step.id === id ? { ...step, ...more } : step)));
  }

  #tell(steps: readonly SignInStepView[]): void {
    this.#steps = steps;
    // What ended says nothing of what came after it.
    if (!this.#circumstances.signal.aborted) this.#circumstances.changed(steps);
  }
}

function isOfGrant({ body = '' }: FetchRequest, type: string): boolean {
  return new URLSearchParams(body).get('grant_type') === type;
}

/** The part of a sign-in that a request is. */
function partOf({ method, headers, body = '' }: FetchRequest, url: string): SignInPart {
  if (method === 'POST') return body.includes('grant_type=') ? 'token' : 'registration';
  if (headers['accept'] === 'text/event-stream') return 'challenge';
  // The page is looked at before a person is sent there: it may not know the client any more.
  if (headers['accept'] === '*/*') return 'registration';
  return /\/\.well-known\/(?:oauth-authorization-server|openid-configuration)\b/.test(url) ? 'issuer' : 'metadata';
}

/** Sends a request that may take as long as one that no person held. */
async function inTime(send: Fetch, url: string, request: FetchRequest): ReturnType<Fetch> {
  const controller = new AbortController();
  const stop = after(answerMs, () => controller.abort(new Error(`no answer came within ${answerMs / 1000} s`)), true);
  try {
    const signal = AbortSignal.any([request.signal, controller.signal]);
    return await send(url, { ...request, signal });
  } finally {
    stop();
  }
}
