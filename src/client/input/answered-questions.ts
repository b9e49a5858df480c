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
 * The questions of one connection that somebody answered here. A stream that is taken up may bring one again, and nobody is to be asked twice
 * for that. The oldest are forgotten first, and one that is too long at once.
 */
export class AnsweredQuestions {
  readonly #kept = new Map<RequestId, Kept>();
  #characters = 0;

  /** Keeps an answer; nothing where the question was cancelled. */
  keep(asked: RequestMessage, answer: ResponseMessage | undefined): void {
    if (!ofSomebody.has(asked.method)) return;
    const question = toJson(asked);
    const characters = question.length + (answer === undefined ? 0 : toJson(answer).length);
    this.#forget(asked.id);
    this.#kept.set(asked.id, { question, answer, characters });
    this.#characters += characters;
    for (const oldest of this.#kept.keys()) {
      if (this.#kept.size <= most.questions && this.#characters <= most.characters) return;
      this.#forget(oldest);
    }
  }

  /** Finds what is kept of a question; nothing where it is another one, or was forgotten. */
  find(asked: RequestMessage): Pick<Kept, 'answer'> | undefined {
    const kept = this.#kept.get(asked.id);
    return kept !== undefined && kept.question === toJson(asked) ? kept : undefined;
  }

  #forget(id: RequestId): void {
    this.#characters -= this.#kept.get(id)?.characters ?? 0;
    this.#kept.delete(id);
  }
}
