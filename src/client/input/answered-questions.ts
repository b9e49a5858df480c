import { toJson } from '../../jsonrpc/encode.ts';
import type { RequestId, RequestMessage, ResponseMessage } from '../../jsonrpc/message.ts';

/** Limits of what is kept of one connection: questions, and characters of these and their answers. */
const most = { questions: 100, characters: 1024 * 1024 };

/** The methods that ask somebody; what the rest say is how it stands now. */
const ofSomebody: ReadonlySet<string> = new Set(['elicitation/create', 'sampling/createMessage']);

interface Kept {
  /** Text of what was asked: some servers use an id twice. */
  readonly question: string;
  /** Left out where the server cancelled the question, and waits for none. */
  readonly answer: ResponseMessage | undefined;
  readonly characters: number;
}

/**
 * The questions that somebody answered here while requests of ours ran on one connection. The stream of such a request may bring one again when it is taken up,
 * and nobody is to be asked twice for that. Elsewhere an id that comes again is that of another question, whatever it should be: what somebody
 * once agreed to is no answer to it. The oldest are forgotten first, and one that is too long is not kept.
 */
export class AnsweredQuestions {
  /** By the request of ours, and the id. */
  readonly #kept = new Map<string, Kept>();
  #characters = 0;

  /**
   * Keeps an answer; nothing where the question was cancelled.
   *
   * @param within The request of ours in whose exchange it came.
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

  /** Finds what is kept of a question; nothing where it is another one, or was forgotten. */
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
