/** Questions of the server that judges its client, and the wait for their answers. */

import { after } from '../../jsonrpc/timeout.ts';
import type { JsonObject } from '../../protocol/features/common.ts';
import type { Line } from './piece.ts';
import { idText, type Put, type Talk } from './talk.ts';

/** Time that a client may take to answer a question, in milliseconds. */
const answerMs = 60_000;

/** Questions of one run, whose ids no two have. */
export class PutQuestions {
  readonly #waiting = new Map<string, (response: JsonObject) => void>();
  #count = 0;

  /** Asks. @returns The response; an empty object for none. */
  async put(question: Put, talk: Talk, line: Line): Promise<JsonObject> {
    const [message, answer] = this.made(question, talk);
    if (!line.send(message)) return {};
    talk.said = JSON.stringify(message);
    return await answer();
  }

  /** Asks several things in one batch. */
  async putBatch(questions: readonly Put[], talk: Talk, line: Line): Promise<void> {
    const asked = questions.map((question) => this.made(question, talk));
    const messages = asked.map(([message]) => message);
    if (line.sendBatch?.(messages) !== true) return;
    talk.said = JSON.stringify(messages);
    await Promise.all(asked.map(([, answer]) => answer()));
  }

  /** A question with an id, and a wait for its answer. */
  made(question: Put, talk: Talk): readonly [message: JsonObject, answer: () => Promise<JsonObject>] {
    const id = `check-${++this.#count}`;
    const key = idText(id);
    const { method, params } = question;
    talk.put.set(key, question);
    const answer = (): Promise<JsonObject> =>
      new Promise((resolve) => {
        const cancel = after(answerMs, () => resolve({}));
        this.#waiting.set(key, (response) => {
          cancel();
          resolve(response);
        });
      });
    return [{ jsonrpc: '2.0', id, method, params }, answer];
  }

  /** Takes an answer. @param key Text of its id. */
  answered(message: JsonObject, key: string): void {
    this.#waiting.get(key)?.(message);
    this.#waiting.delete(key);
  }

  /** Waits for no answer any more. */
  end(): void {
    for (const answer of this.#waiting.values()) answer({});
  }
}
