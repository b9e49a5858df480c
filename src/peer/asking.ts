/**
 * Runs handlers that may ask their client. Few do, so what asking takes (rounds, their sealed state, questions in
 * sessions) is loaded when the first of them does.
 */

import { isByHand, type Ask, type Asker } from './ask.ts';
import type { Call } from './call.ts';
import type { Handler } from './host.ts';
import { andThen, isLater, type NowOrLater } from './now-or-later.ts';
import type * as Questions from './questions.ts';
import type { Running } from './rounds.ts';

/** Loads what asking takes. */
export function questions(): Promise<typeof Questions> {
  return import('./questions.ts');
}

/**
 * Runs a handler for a stateless client: what it asks travels in the result, and its state in `requestState`.
 *
 * @returns The handler's result, or an `InputRequiredResult`.
 * @throws McpError invalidParams for a `requestState` that is not valid here.
 */
export function runInRounds(running: Running): NowOrLater<unknown> {
  const { handler, params, call, settings } = running;
  const isFirst = params['requestState'] === undefined && params['inputResponses'] === undefined;
  if (!isFirst || settings.maxRounds < 1) return questions().then((loaded) => loaded.runInRounds(running));
  let goOn: (outcome: unknown) => void = () => undefined;
  call.askBy(() => {
    const asker = questions().then((loaded) => {
      const taken = loaded.takeOver(running, returned);
      goOn(taken.outcome);
      return taken.asker;
    });
    return new LateAsker(asker);
  });
  const returned = handler(params, call);
  const whole = (value: unknown): unknown =>
    isByHand(value) ? questions().then((loaded) => loaded.takeOver(running, value).outcome) : value;
  if (!isLater(returned)) return whole(returned);
  return new Promise((resolve, reject) => {
    goOn = resolve;
    returned.then(whole).then(resolve, reject);
  });
}

/** Runs a handler for a handshake client. One that drives its rounds by hand runs again with the answers. */
export function runInSession(
  handler: Handler,
  params: Running['params'],
  way: { readonly call: Call; readonly maxRounds: number; asker(): Promise<Asker> },
): NowOrLater<unknown> {
  const { call, maxRounds } = way;
  call.askBy(() => new LateAsker(way.asker()));
  return andThen(handler(params, call), (value) =>
    isByHand(value)
      ? questions().then((loaded) => loaded.continueInSession(value, { handler, params, call, maxRounds }))
      : value,
  );
}

/** Stands for an asker that is being loaded. Every question waits for it, so that they keep their order. */
class LateAsker implements Asker {
  readonly #asker: Promise<Asker>;

  constructor(asker: Promise<Asker>) {
    this.#asker = asker;
  }

  async ask<T>(ask: Ask<T>): Promise<T> {
    const asker = await this.#asker;
    return await asker.ask(ask);
  }

  async once<T>(key: string, run: () => T | Promise<T>): Promise<T> {
    const asker = await this.#asker;
    return await asker.once(key, run);
  }
}
