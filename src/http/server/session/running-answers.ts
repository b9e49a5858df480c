import type { RequestId, ResponseMessage } from '../../../jsonrpc/message.ts';
import { responseJson, type HttpAnswer } from '../answer.ts';
import type { HttpContext } from '../context.ts';
import { sessionStatus } from '../status.ts';

/** The answers to the requests of one session that run here. */
export class RunningAnswers {
  readonly #context: HttpContext;
  readonly #last: (id: RequestId) => ResponseMessage;
  readonly #answers = new Map<RequestId, HttpAnswer>();
  readonly #batches = new WeakSet<HttpAnswer>();
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

  /** Marks the answer to a batch, which has several responses. */
  ofBatch(answer: HttpAnswer): void {
    this.#batches.add(answer);
  }

  /** @returns The response in the place of none, where the process ended before there was one. */
  forget(id: RequestId): ResponseMessage | undefined {
    return this.#answers.delete(id) && this.#isStopped ? this.#last(id) : undefined;
  }

  /**
   * Says to whoever waits for what runs that its outcome is not known: the session is about to end with its process.
   *
   * @param sayThemselves True where streams go on in other processes, and say it there.
   */
  stop(sayThemselves: boolean): void {
    this.#isStopped = true;
    for (const [id, answer] of this.#answers) {
      const isBatch = this.#batches.has(answer);
      // A batch that is no stream has all of its responses at once.
      if (answer.streaming ? sayThemselves : isBatch) continue;
      this.#answers.delete(id);
      const response = this.#last(id);
      if (isBatch) answer.message(responseJson(this.#context, response));
      else answer.respond(sessionStatus(response), response);
    }
  }
}
