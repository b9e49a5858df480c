/**
 * Runs handlers that may ask their client. Few do. So the code for asking (rounds, their sealed state, questions in
 * sessions) is loaded when the first of them does.
 */

import { isManual, type Ask, type ClientRequester } from '../../../connection/client-request.ts';
import type { Effect } from '../../../connection/memoized-steps.ts';
import type { Call } from '../call.ts';
import type { Handler } from '../server-core.ts';
import { mapMaybe, isLater, type MaybePromise } from '../../../storage/maybe-promise.ts';
import type * as Rounds from './handler-rounds.ts';
import type { FirstRun, RoundsRunning } from './handler-rounds.ts';
import type * as Questions from './session-questions.ts';

let loadedQuestions: typeof Questions | undefined;
let loadedRounds: typeof Rounds | undefined;

/** Loads the code for asking the client of a session. */
export async function sessionQuestions(): Promise<typeof Questions> {
  return (loadedQuestions ??= await import('./session-questions.ts'));
}

/** Loads the code for handlers that ask in rounds. */
export async function handlerRounds(): Promise<typeof Rounds> {
  return (loadedRounds ??= await import('./handler-rounds.ts'));
}

/**
 * Runs a handler for a stateless client: its questions travel in the result, and its state in `requestState`.
 *
 * @returns The handler's result, or an `InputRequiredResult`.
 * @throws McpError invalidParams for a `requestState` that is not valid here.
 */
export function runInRounds(running: RoundsRunning): MaybePromise<unknown> {
  const { handler, params, call, rounds } = running;
  const isFirst = params['requestState'] === undefined && params['inputResponses'] === undefined;
  if (!isFirst || rounds.maxRounds < 1) return handlerRounds().then((loaded) => loaded.runRounds(running));
  let goOn: (run: FirstRun) => void = () => undefined;
  let run: Promise<FirstRun> | undefined;
  const asking = (): Promise<FirstRun> => (run ??= handlerRounds().then((loaded) => loaded.firstRun(running)));
  call.askBy(() => {
    // If loading fails, each question of the handler rejects with that error.
    asking().then(
      (loaded) => goOn(loaded),
      () => undefined,
    );
    return new DeferredRequester(asking());
  });
  const returned = handler(params, call);
  if (!isLater(returned)) return isManual(returned) ? asking().then(({ conclude }) => conclude(returned)) : returned;
  return new Promise((resolve, reject) => {
    goOn = ({ conclude }) => resolve(conclude(returned));
    returned.then((value) => (isManual(value) ? asking().then(goOn, reject) : resolve(value)), reject);
  });
}

/** Runs a handler in a session. A handler that manages its rounds itself runs again with the answers. */
export function runInSession(
  handler: Handler,
  params: RoundsRunning['params'],
  way: { readonly call: Call; readonly maxRounds: number; asking(): Promise<Asking> },
): MaybePromise<unknown> {
  const { call, maxRounds } = way;
  let asking: Promise<Asking> | undefined;
  call.askBy(() => new DeferredRequester((asking = way.asking())));
  return mapMaybe(handler(params, call), (value) => {
    if (isManual(value))
      return handlerRounds().then((loaded) =>
        loaded.continueManual(value, { call, maxRounds, again: () => handler(params, call) }),
      );
    // A question that its handler does not await is still sent before the result.
    return asking === undefined
      ? value
      : asking.then(
          () => value,
          () => value,
        );
  });
}

/** The code for asking, once it is loaded. */
interface Asking {
  readonly requester: ClientRequester;
}

/**
 * Stands in for an asker that is being loaded. Every question waits for it, so that they keep their order. No question
 * waits longer than the handler's result.
 */
class DeferredRequester implements ClientRequester {
  readonly #asking: Promise<Asking>;

  constructor(asking: Promise<Asking>) {
    this.#asking = asking;
  }

  async ask<T>(ask: Ask<T>): Promise<T> {
    const { requester } = await this.#asking;
    return await requester.ask(ask);
  }

  async once<T>(key: string, run: Effect<T>): Promise<T> {
    const { requester } = await this.#asking;
    return await requester.once(key, run);
  }
}
