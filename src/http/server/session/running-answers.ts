import type { RequestId, ResponseMessage } from '../../../jsonrpc/message.ts';
import { responseJson, type HttpAnswer } from '../answer.ts';
import type { HttpContext } from '../context.ts';
import { sessionStatus } from '../status.ts';

/** The answers to the requests of one session that run here. */
export class RunningAnswers {
  readonly #context: HttpContext;
  readonly #last: (id: RequestId) => ResponseMessage;
  readonly #answers = new Map<RequestId, HttpAnswer>();
  /** The answers to batches, with the number of responses that each has. */
  readonly #batches = new WeakMap<HttpAnswer, number>();
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
   * Lets the messages of a request go to its answer.
   *
   * @returns The id to forget it by; `undefined` for an id in use, whose second request the conversation refuses: the
   *   first keeps its answer.
   */
  expect(id: RequestId, answer: HttpAnswer): RequestId | undefined {
    if (this.#answers.has(id)) return undefined;
    this.#answers.set(id, answer);
    return id;
  }

  /** Marks the answer to a batch, which may have several responses. */
  ofBatch(answer: HttpAnswer, responses: number): void {
    this.#batches.set(answer, responses);
  }

  /** @returns The response in the place of none, where the process ended before there was one. */
  forget(id: RequestId): ResponseMessage | undefined {
    return this.#answers.delete(id) && this.#isStopped ? this.#last(id) : undefined;
  }

  /**
   * Says to whoever waits for what runs that its outcome is not known: the session is about to end with its process.
   *
   * @param sayThemselves True where streams go on in other processes, and say it there; those that cannot be resumed do not.
   */
  stop(sayThemselves: boolean): void {
    this.#isStopped = true;
    for (const [id, answer] of this.#answers) {
      const responses = this.#batches.get(answer);
      const isBatch = responses !== undefined;
      // A batch that is no stream has all of its responses at once; the stream of several does not know which of them it has had.
      if (answer.streaming ? sayThemselves && (responses ?? 1) === 1 : isBatch) continue;
      this.#answers.delete(id);
      const response = this.#last(id);
      if (isBatch) answer.message(responseJson(this.#context, response));
      else answer.respond(sessionStatus(response), response);
    }
  }
}
