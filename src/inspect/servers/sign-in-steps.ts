import type { AuthorizationFetch, AuthorizationRequest } from '../../auth/document.ts';
import { after } from '../../jsonrpc/timeout.ts';
import { VerbError } from '../http/body.ts';
import type { SignInPart, SignInStepView } from '../view.ts';

/** Most steps that are told of. */
const most = 40;

/** Time limit of what waits for the person, in milliseconds. */
const patienceMs = 15 * 60_000;

/** Time that an answer may take once its request is let go, in milliseconds. */
const answerMs = 10_000;

/** Circumstances of a sign-in. */
export interface SignInCircumstances {
  /** True where each step waits until the person lets it go. */
  readonly pauses: boolean;
  /** Ends the sign-in, and every wait of it. */
  readonly signal: AbortSignal;
  changed(steps: readonly SignInStepView[]): void;
}

/** Steps of one sign-in, in the order in which they happen. */
export class SignInSteps {
  readonly #circumstances: SignInCircumstances;
  readonly #waiting = new Set<() => void>();
  #steps: readonly SignInStepView[] = [];
  #count = 0;

  constructor(circumstances: SignInCircumstances) {
    this.#circumstances = circumstances;
  }

  /** The same `fetch`, whose requests are steps. */
  over(send: AuthorizationFetch): AuthorizationFetch {
    const { pauses } = this.#circumstances;
    const stepping: AuthorizationFetch = (url, request) => {
      const part = partOf(request, url);
      if (part === 'token' && request.body?.includes('grant_type=authorization_code') === true)
        this.#add('code', 'the browser came back with it', 'done');
      const { origin, pathname } = new URL(url);
      return this.#step(part, `${request.method} ${origin}${pathname}`, request.signal, () =>
        pauses ? inTime(send, url, request) : send(url, request),
      );
    };
    return pauses ? Object.assign(stepping, { patienceMs }) : stepping;
  }

  /** Is asked before the page is opened. @throws what ended the sign-in. */
  async beforePage(): Promise<void> {
    await this.#step('browser', 'opens the page to sign in', this.#circumstances.signal, () => Promise.resolve());
  }

  /** Lets go what waits. @throws VerbError where nothing does. */
  goOn(): void {
    if (this.#waiting.size === 0) throw new VerbError(409, 'no step waits any more');
    for (const go of this.#waiting) go();
  }

  async #step<Result>(
    part: SignInPart,
    words: string,
    given: AbortSignal,
    run: () => Promise<Result>,
  ): Promise<Result> {
    const id = this.#add(part, words, this.#circumstances.pauses ? 'waits' : 'runs');
    try {
      if (this.#circumstances.pauses) {
        await this.#turn(AbortSignal.any([given, this.#circumstances.signal]));
        this.#becomes(id, 'runs');
      }
      const result = await run();
      this.#becomes(id, 'done');
      return result;
    } catch (error) {
      this.#becomes(id, 'failed');
      throw error;
    }
  }

  async #turn(signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    let go = (): void => {};
    let give = (): void => {};
    try {
      await new Promise<void>((resolve, reject) => {
        go = resolve;
        give = () => reject(signal.reason instanceof Error ? signal.reason : new Error('given up'));
        this.#waiting.add(go);
        signal.addEventListener('abort', give, { once: true });
      });
    } finally {
      this.#waiting.delete(go);
      signal.removeEventListener('abort', give);
    }
  }

  #add(part: SignInPart, words: string, state: SignInStepView['state']): number {
    const id = ++this.#count;
    this.#tell([...this.#steps, { id, part, words, state }].slice(-most));
    return id;
  }

  #becomes(id: number, state: SignInStepView['state']): void {
    this.#tell(this.#steps.map((step) => (step.id === id ? { ...step, state } : step)));
  }

  #tell(steps: readonly SignInStepView[]): void {
    this.#steps = steps;
    // What ended says nothing of what came after it.
    if (!this.#circumstances.signal.aborted) this.#circumstances.changed(steps);
  }
}

/** The part of a sign-in that a request is. */
function partOf({ method, headers, body = '' }: AuthorizationRequest, url: string): SignInPart {
  if (method === 'POST') return body.includes('grant_type=') ? 'token' : 'registration';
  if (headers['accept'] === 'text/event-stream') return 'challenge';
  // The page is looked at before a person is sent there: it may not know the client any more.
  if (headers['accept'] === '*/*') return 'registration';
  return /\/\.well-known\/(?:oauth-authorization-server|openid-configuration)\b/.test(url) ? 'issuer' : 'metadata';
}

/** Sends a request that may take as long as one that no person held. */
async function inTime(
  send: AuthorizationFetch,
  url: string,
  request: AuthorizationRequest,
): ReturnType<AuthorizationFetch> {
  const controller = new AbortController();
  const stop = after(answerMs, () => controller.abort(new Error(`no answer came within ${answerMs / 1000} s`)), true);
  try {
    const signal = AbortSignal.any([request.signal, controller.signal]);
    return await send(url, { ...request, signal });
  } finally {
    stop();
  }
}
