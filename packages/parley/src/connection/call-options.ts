import { settledId } from '../json/large-id.ts';
import { setNewest } from '../jsonrpc/newest.ts';
import { isRequestId, shownId, spelledNumber, type RequestId, type ResponseMessage } from '../jsonrpc/message.ts';
import type { MessageOrigin } from '../jsonrpc/transport.ts';
import type { Revision } from '../protocol/revision.ts';
import type { JsonObject, ProgressToken } from '../protocol/features/common.ts';
import { utf8Bytes } from './budget.ts';
import { chargedFor } from './charge.ts';
import { PendingRequest, type PendingOwner, type WaitOptions } from './pending.ts';
import { ProgressRoutes, type Progress } from './progress.ts';

/** Options of sending one request of ours, and of waiting for its answer. */
export interface CallOptions extends WaitOptions {
  /** The revision that the message is written in, for observers. */
  readonly revision?: Revision | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** The peer's request within which it is sent, whose stream carries it. */
  readonly related?: string | number | undefined;
  /** True if a cancelled request sends `notifications/cancelled` to the peer. */
  readonly tellCancelled: boolean;
  readonly progressToken?: ProgressToken | undefined;
  /** The caller on whose behalf it is sent. */
  readonly caller?: unknown;
  readonly onProgress?: ((progress: Progress) => void) | undefined;
  /** Receives the function that ends progress reports, for a request whose work continues after the answer. */
  readonly holdProgress?: ((release: () => void) => void) | undefined;
  /** Called if the request was cancelled after it was sent; must not throw. */
  readonly onGivenUp?: (() => void) | undefined;
  /** Receives the answer that came after the request was cancelled. */
  readonly onLateAnswer?: LateListener | undefined;
}

/** Listener to an answer that came late. */
export type LateListener = (answer: ResponseMessage) => void;

/** Limit of cancelled requests whose late answers still have a listener. */
const maxGivenUp = 1_000;

/** Slot that holds one request as long as it waits. The tables of a map lead to what passed through it: see `Crowd`. */
interface Slot {
  pending: PendingRequest<CallOptions> | undefined;
}

/** Options of the requests of one connection. */
export interface AskedOptions {
  readonly idsBegin?: string | undefined;
  /** Name of the peer for error messages. */
  readonly description?: string | undefined;
}

/** The requests of ours in flight, by their ids and by the tokens of their progress. */
export class AskedRequests {
  readonly #owner: PendingOwner<CallOptions>;
  readonly #pending = new Map<number, Slot>();
  /** Made when there is a token to route by. */
  #progress: ProgressRoutes | undefined;
  /** Listeners to the answers of cancelled requests. */
  #givenUp: Map<number, LateListener> | undefined;
  readonly #idsBegin: string | undefined;
  readonly #at: string;
  #lastId = 0;
  #stray: { readonly id: RequestId; readonly lastId: number } | undefined;

  /** @param idsBegin Beginning of their ids as the peer sees them, which are numbers without it. */
  constructor(owner: PendingOwner<CallOptions>, { idsBegin, description }: AskedOptions) {
    this.#owner = owner;
    this.#idsBegin = idsBegin;
    this.#at = description === undefined ? '' : ` at ${description}`;
  }

  /** The id of the newest request. */
  get lastId(): number {
    return this.#lastId;
  }

  get size(): number {
    return this.#pending.size;
  }

  /**
   * Takes the next id, and the progress token.
   *
   * @param hear Receives the progress of the request.
   * @throws TypeError if the requested token is invalid or in use.
   */
  add(
    request: { readonly method: string; readonly params: JsonObject | undefined },
    options: CallOptions,
    hear: (progress: Progress) => void,
  ): PendingRequest<CallOptions> {
    const id = this.#lastId + 1;
    const token = this.#claim(id, { given: givenToken(request.params), options, hear });
    this.#lastId = id;
    const whither = (): string => `${nameIn(request.params)}${this.#at}${this.#strayedSince(id)}`;
    const pending = new PendingRequest({ id, method: request.method, token, whither }, options, this.#owner);
    this.#pending.set(id, { pending });
    return pending;
  }

  /** Records an answer whose id belongs to no request, for the error of a request that times out. */
  strayed(id: RequestId): void {
    this.#stray = { id, lastId: this.#lastId };
  }

  #strayedSince(id: number): string {
    if (this.#stray === undefined || this.#stray.lastId < id) return '';
    const shown = JSON.stringify(shownId(this.#stray.id)).slice(0, 60).replaceAll(/[()]/g, '?');
    return `, after an answer with the id ${shown}, which no request has`;
  }

  /** The id of a request as the peer sees it. */
  idOf({ id }: PendingRequest<CallOptions>): RequestId {
    return this.#idsBegin === undefined ? id : `${this.#idsBegin}${id}`;
  }

  /** Removes a request that no longer waits. Later messages for it are dropped. */
  remove({ id, token, options: { holdProgress } }: PendingRequest<CallOptions>): void {
    const slot = this.#pending.get(id);
    if (slot !== undefined) slot.pending = undefined;
    this.#pending.delete(id);
    if (token === undefined) return;
    const release = (): void => this.#progress?.release(token);
    if (holdProgress === undefined) release();
    else holdProgress(release);
  }

  /** The pending request with an id, also if the peer sent the number as text. */
  find(id: unknown): PendingRequest<CallOptions> | undefined {
    const number = this.#numberOf(id);
    return number === undefined ? undefined : this.#pending.get(number)?.pending;
  }

  /** The only pending request. Listen requests, which expect no answer, count only if there is no other. */
  only(): PendingRequest<CallOptions> | undefined {
    const listening: PendingRequest<CallOptions>[] = [];
    let only: PendingRequest<CallOptions> | undefined;
    // It stops at the second one, since a peer can cause this search as often as it likes.
    for (const one of this.each()) {
      if (!one.isListen && only !== undefined) return undefined;
      if (one.isListen) listening.push(one);
      else only = one;
    }
    return only ?? (listening.length === 1 ? listening[0] : undefined);
  }

  all(): readonly PendingRequest<CallOptions>[] {
    return [...this.each()];
  }

  /** Pending requests, the oldest first. A generator, for callers that need only the first ones. */
  *each(): Generator<PendingRequest<CallOptions>, void, undefined> {
    for (const { pending } of this.#pending.values()) if (pending !== undefined) yield pending;
  }

  /** Tells whether a request with this id was sent, answered or not. */
  wasSent(id: unknown): boolean {
    const number = this.#numberOf(id);
    return number !== undefined && number > 0 && number <= this.#lastId;
  }

  /** Stores the listener for the late answer of a cancelled request. */
  awaitLate({ id, options: { onLateAnswer } }: PendingRequest<CallOptions>): void {
    if (onLateAnswer === undefined) return;
    setNewest((this.#givenUp ??= new Map()), maxGivenUp, [id, onLateAnswer]);
  }

  /** Takes the listener to this late answer, once. */
  takeLate(id: unknown): LateListener | undefined {
    const number = this.#numberOf(id);
    if (number === undefined || this.#givenUp === undefined) return undefined;
    const late = this.#givenUp.get(number);
    this.#givenUp.delete(number);
    return late;
  }

  /** Late answers have no listener any more. */
  forgetLate(): void {
    this.#givenUp = undefined;
  }

  /** The pending request that a progress report belongs to. */
  reported(params: JsonObject | undefined): number | undefined {
    return this.#progress?.requestOf(params);
  }

  /** The token of a request in flight that a report has, as it was asked for. */
  ownToken(token: unknown): ProgressToken | undefined {
    return this.#progress?.own(token);
  }

  /** Takes a progress report. Returns whether it has a listener. */
  hear(params: JsonObject | undefined): boolean {
    return this.#progress?.hear(params) ?? false;
  }

  /**
   * Charges a message that is not an answer to the request within which it came.
   *
   * @param bytes Its size, if its text is part of a larger one.
   * @returns False if that exceeded the limit.
   */
  admits(value: unknown, about: MessageOrigin | undefined, bytes?: number): boolean {
    const charged = chargedFor(value, about, { asked: this, progress: this.#progress });
    return charged === undefined || charged.spend(bytes ?? utf8Bytes(about?.text ?? ''));
  }

  /** The number of an id as the peer sees it; one of another kind is not ours. */
  #numberOf(id: unknown): number | undefined {
    const begin = this.#idsBegin;
    if (begin === undefined) return typeof id === 'number' ? id : spelledNumber(id);
    return typeof id === 'string' && id.startsWith(begin) ? Number(id.slice(begin.length)) : undefined;
  }

  #claim(
    id: number,
    {
      given,
      options,
      hear,
    }: {
      readonly given: ProgressToken | undefined;
      readonly options: CallOptions;
      readonly hear: (progress: Progress) => void;
    },
  ): ProgressToken | undefined {
    const { progressToken, onProgress } = options;
    const wanted = progressToken !== undefined || onProgress !== undefined;
    if (!wanted && given === undefined) return undefined;
    const routes = (this.#progress ??= new ProgressRoutes());
    // Who passes a request on may pass on a token that another one has.
    if (!wanted && given !== undefined && routes.has(given)) return undefined;
    return routes.claim(progressToken ?? (wanted ? undefined : given), {
      request: id,
      hear: (progress) => {
        this.#pending.get(id)?.pending?.touch();
        hear(progress);
      },
    });
  }
}

/** The token that the params have already, as those of a request that is passed on may. */
function givenToken(params: JsonObject | undefined): ProgressToken | undefined {
  const meta = params?.['_meta'];
  if (typeof meta !== 'object' || meta === null) return undefined;
  const sent = 'progressToken' in meta ? meta.progressToken : undefined;
  const token = isRequestId(sent) ? sent : settledId(sent);
  return isRequestId(token) ? token : undefined;
}

/** The tool, prompt or resource that a request names, for a sentence. */
function nameIn(params: JsonObject | undefined): string {
  const name = params?.['name'] ?? params?.['uri'];
  return typeof name === 'string' ? `, ${JSON.stringify(name.slice(0, 100))}` : '';
}
