import type { RequestId, ResponseMessage } from '../../../../jsonrpc/message.ts';
import type { HttpAnswer } from '../exchanges/answer.ts';
import type { HttpContext } from '../exchanges/context.ts';
import { sessionStatus } from '../exchanges/status.ts';
import { AnsweredBatch } from './answered-batch.ts';

/** The answers to the requests of one session that run here. */
export class RunningAnswers {
  readonly #context: HttpContext;
  readonly #last: (id: RequestId) => ResponseMessage;
  readonly #answers = new Map<RequestId, HttpAnswer>();
  readonly #batches = new Map<HttpAnswer, AnsweredBatch>();
  /** The responses to what ran, or had not begun, when the process ended, of batches that have all of theirs at once. */
  readonly #lastOf = new Map<RequestId, ResponseMessage>();
  #isStopped = false;

  /** @param last Makes the response to a request that is still being answered when the process ends. */
  constructor(context: HttpContext, last: (id: RequestId) => ResponseMessage) {
    this.#context = context;
    this.#last = last;
  }

  get(id: RequestId): HttpAnswer | undefined {
    return this.#answers.get(id);
  }

  /**
   * Sends the messages of a request to its answer.
   *
   * @returns The id for `forget`; `undefined` for an id in use. The conversation rejects such a second request: the
   * first keeps its answer.
   */
  expect(id: RequestId, answer: HttpAnswer): RequestId | undefined {
    if (this.#answers.has(id)) return undefined;
    this.#answers.set(id, answer);
    return id;
  }

  /** Lets an answer be that to a batch, which may have several responses, until it is over. */
  ofBatch(answer: HttpAnswer, requests: number): { readonly batch: AnsweredBatch; readonly over: () => void } {
    const batch = new AnsweredBatch(this.#context, answer, requests);
    this.#batches.set(answer, batch);
    return { batch, over: () => void this.#batches.delete(answer) };
  }

  /** @returns The substitute response, if the process stopped before there was one. */
  forget(id: RequestId): ResponseMessage | undefined {
    return this.#answers.delete(id) && this.#isStopped ? (this.#lastOf.get(id) ?? this.#last(id)) : undefined;
  }

  /**
   * Reports to waiting clients that the outcome of running requests is unknown: the session ends with its process.
   *
   * @param sayThemselves True if streams continue in other processes and report it there. Streams that cannot be
   *   resumed do not.
   */
  stop(sayThemselves: boolean): void {
    this.#isStopped = true;
    for (const [id, answer] of this.#answers) {
      const batch = this.#batches.get(answer);
      // The stream of several requests does not know which of their responses it has had.
      if (answer.streaming && sayThemselves && (batch?.requests ?? 1) === 1) continue;
      const response = this.#last(id);
      if (batch !== undefined && !answer.streaming) {
        // A batch is answered as a whole. Requests in it that had not begun then have an unknown outcome too.
        this.#lastOf.set(id, response);
        continue;
      }
      this.#answers.delete(id);
      if (batch === undefined) answer.respond(sessionStatus(response), response);
      else batch.add(response);
    }
    this.#completeStreams();
  }

  /**
   * Completes the streams of batches without running requests: responses from before the stream are sent nowhere else.
   */
  #completeStreams(): void {
    const running = new Set(this.#answers.values());
    for (const [answer, batch] of this.#batches)
      if (answer.streaming && !running.has(answer)) batch.complete();
      else batch.flush();
  }
}
