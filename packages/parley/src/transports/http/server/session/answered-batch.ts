import type { ResponseMessage } from '../../../../jsonrpc/message.ts';
import { responseJson, type HttpAnswer } from '../exchanges/answer.ts';
import type { HttpContext } from '../exchanges/context.ts';

/** The answer to a batch: its responses in one piece, or an event stream from when something was sent ahead of them. */
export class AnsweredBatch {
  /** Number of requests that it answers. */
  readonly requests: number;
  readonly #context: HttpContext;
  readonly #answer: HttpAnswer;
  /** Responses that came before it was a stream, and wait for the next one. */
  readonly #collected: string[] = [];

  constructor(context: HttpContext, answer: HttpAnswer, requests: number) {
    this.#context = context;
    this.#answer = answer;
    this.requests = requests;
  }

  add(response: ResponseMessage): void {
    this.#collected.push(responseJson(this.#context, response));
    this.flush();
  }

  /** Sends the collected responses if the answer is a stream by now. */
  flush(): void {
    if (this.#answer.streaming) for (const json of this.#collected.splice(0)) this.#answer.message(json);
  }

  /** Completes it; false if there is nothing to answer. */
  complete(): boolean {
    this.flush();
    const texts = this.#collected;
    if (!this.#answer.streaming && texts.length === 0 && this.requests === 0) return this.#answer.gone;
    // An answer that is complete, or whose client is gone, accepts nothing more.
    this.#answer.finish(200, this.#answer.streaming || texts.length === 0 ? undefined : `[${texts.join(',')}]`);
    return true;
  }
}
