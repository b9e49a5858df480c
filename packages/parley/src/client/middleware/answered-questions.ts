import { toJson } from '../../jsonrpc/encode.ts';
import type { RequestId, RequestMessage, ResponseMessage } from '../../jsonrpc/message.ts';

/** Limits of what is stored for one connection: questions, and characters of these and their answers. */
const most = { questions: 100, characters: 1024 * 1024 };

/** The methods that ask the user or the model. The others report a current state. */
const ofSomebody: ReadonlySet<string> = new Set(['elicitation/create', 'sampling/createMessage']);

interface Kept {
  /** Text of the question: some servers use an id twice. */
  readonly question: string;
  /** Left out if the server cancelled the question and waits for no answer. */
  readonly answer: ResponseMessage | undefined;
  readonly characters: number;
}

/**
 * The questions that were answered while our requests ran on one connection. When a request's stream is resumed, it may
 * repeat a question, and the user must not be asked twice. Elsewhere a repeated id belongs to a different question,
 * although it should not: an earlier consent does not answer it. The oldest entries are dropped first, and very long
 * ones are not stored.
 */
export class AnsweredQuestions {
  /** By the request of ours, and the id. */
  readonly #kept = new Map<string, Kept>();
  #characters = 0;

  /**
   * Stores an answer, or `undefined` if the question was cancelled.
   *
   * @param within Our request in whose exchange it came.
   */
  keep(asked: RequestMessage, within: number | undefined, answer: ResponseMessage | undefined): void {
    if (!ofSomebody.has(asked.method) || within === undefined) return;
    const key = keyOf(asked.id, within);
    const question = toJson(asked);
    const characters = question.length + (answer === undefined ? 0 : toJson(answer).length);
    this.#forget(key);
    if (characters > most.characters) return;
    this.#kept.set(key, { question, answer, characters });
    this.#characters += characters;
    for (const oldest of this.#kept.keys()) {
      if (this.#kept.size <= most.questions && this.#characters <= most.characters) return;
      this.#forget(oldest);
    }
  }

  /** Finds the stored entry of a question; `undefined` if it is a different question, or was dropped. */
  find(asked: RequestMessage, within: number | undefined): Pick<Kept, 'answer'> | undefined {
    const kept = within === undefined ? undefined : this.#kept.get(keyOf(asked.id, within));
    return kept !== undefined && kept.question === toJson(asked) ? kept : undefined;
  }

  #forget(key: string): void {
    this.#characters -= this.#kept.get(key)?.characters ?? 0;
    this.#kept.delete(key);
  }
}

/** Ids that are texts differ from those that are numbers. */
function keyOf(id: RequestId, within: number): string {
  return `${within} ${JSON.stringify(id)}`;
}
