/** Questions of the server that judges its client, and the wait for their answers. */

import { after, monotonicNow } from '../../../../parley/src/jsonrpc/timeout.ts';
import type { JsonObject } from '../../../../parley/src/protocol/features/common.ts';
import type { SideChannel } from './piece.ts';
import { idText, type Prompted, type ClientSession } from './client-session.ts';

/** Time that a client may take to answer a question, in milliseconds, a ping, and one that is taken back, until it is and after that. */
const waits = { question: 60_000, ping: 10_000, taken: 100, late: 5_000 } as const;

/** Questions of one run, whose ids no two have. */
export class PutQuestions {
  readonly #waiting = new Map<string, (response: JsonObject) => void>();
  /** Waits for late answers. Several calls of one conversation may wait. */
  readonly #slow = new Map<string, Set<() => void>>();
  #count = 0;

  /** Asks. @returns The response; an empty object for none. */
  async put(question: Prompted, clientSession: ClientSession, line: SideChannel): Promise<JsonObject> {
    const [message, answer] = this.made(question, clientSession);
    if (!this.#isSent([message], clientSession, line, () => line.send(message))) return {};
    return await answer();
  }

  /** Asks several things in one batch. */
  async putBatch(questions: readonly Prompted[], clientSession: ClientSession, line: SideChannel): Promise<void> {
    const asked = questions.map((question) => this.made(question, clientSession));
    const messages = asked.map(([message]) => message);
    if (!this.#isSent(messages, clientSession, line, () => line.sendBatch?.(messages) === true)) return;
    await Promise.all(asked.map(([, answer]) => answer()));
  }

  /** Asks, and cancels it where it is not answered at once. @returns True where it was answered long after that. */
  async putAndCancel(question: Prompted, clientSession: ClientSession, line: SideChannel): Promise<boolean> {
    const put = { ...question };
    const [message, answer] = this.made(put, clientSession);
    if (!this.#isSent([message], clientSession, line, () => line.send(message))) return false;
    const answered = answer().then((): true => true);
    if (await settled(answered, waits.taken)) return false;
    const { id: requestId } = message;
    const params = { requestId, reason: 'it is no longer needed' };
    line.send({ jsonrpc: '2.0', method: 'notifications/cancelled', params });
    put.cancelledAt = monotonicNow();
    return (await settled(answered, waits.late)) && isLate(put);
  }

  /** Sends questions. Questions on a closed stream count as not sent. */
  #isSent(
    messages: readonly JsonObject[],
    clientSession: ClientSession,
    { over }: SideChannel,
    send: () => boolean,
  ): boolean {
    const forget = (): void => {
      for (const key of messages.map(({ id }) => idText(id))) {
        const put = clientSession.put.get(key);
        // That one which was cancelled long ago has no answer is what a client is to be known by.
        if (put === undefined || !isLate(put)) clientSession.forgetQuestion(key);
        if (put !== undefined) this.answered({}, key);
      }
    };
    const isSent = send();
    if (isSent) clientSession.said = JSON.stringify(messages.length === 1 ? messages[0] : messages);
    else forget();
    void over?.then(forget);
    return isSent;
  }

  /** A question with an id, and a wait for its answer. */
  made(
    question: Prompted,
    clientSession: ClientSession,
  ): readonly [message: JsonObject, answer: () => Promise<JsonObject>] {
    // Numbers and texts in turn, since some make all ids the one or the other; 0 is an id as well.
    const id = this.#count % 2 === 0 ? this.#count : `check-${this.#count}`;
    this.#count++;
    const key = idText(id);
    const { method, params } = question;
    clientSession.put.set(key, question);
    clientSession.putAt.set(key, monotonicNow());
    const answer = (): Promise<JsonObject> =>
      new Promise((resolve) => {
        const cancel = after(method === 'ping' ? waits.ping : waits.question, () => resolve({}));
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
    for (const isThere of this.#slow.get(key) ?? []) isThere();
  }

  /** Waits for late answers, while later questions were answered. */
  async slow(clientSession: ClientSession): Promise<void> {
    for (const key of clientSession.overtaken) {
      const { cancelledAt, probe } = clientSession.put.get(key) ?? {};
      // A question that was withdrawn, or whose stream broke off, needs no answer.
      if (cancelledAt !== undefined || probe === 'before-break') continue;
      const waiting = this.#slow.get(key) ?? new Set();
      this.#slow.set(key, waiting);
      let isThere = (): void => undefined;
      const answered = new Promise<true>((resolve) => (isThere = () => resolve(true)));
      waiting.add(isThere);
      if (clientSession.overtaken.has(key)) await settled(answered, Math.max(0, clientSession.patienceFor(key)));
      waiting.delete(isThere);
      if (waiting.size === 0) this.#slow.delete(key);
    }
  }

  /** Waits for no answer any more. */
  end(): void {
    for (const waiting of this.#slow.values()) for (const isThere of waiting) isThere();
    for (const answer of this.#waiting.values()) answer({});
  }
}

/** Time after which an answer did not cross the cancellation, in milliseconds. */
const crossingMs = 2_000;

/** Tells whether a question was cancelled so long ago that its answer did not cross that. */
export function isLate({ cancelledAt }: Prompted): boolean {
  return cancelledAt !== undefined && monotonicNow() - cancelledAt > crossingMs;
}

/** Waits for a time. @returns False where it was over first. */
async function settled(done: Promise<true>, ms: number): Promise<boolean> {
  let cancel = (): void => undefined;
  const over = new Promise<false>((resolve) => (cancel = after(ms, () => resolve(false))));
  const isDone = await Promise.race([done, over]);
  cancel();
  return isDone;
}
