import { VerbError } from '../http/body.ts';
import type { Feed } from '../feed.ts';
import type { QuestionView } from '../view.ts';

/** Most questions that wait at a time; a server that asks more is told that nobody answers. */
const most = 64;

/** Answer of a person. */
export interface PersonsAnswer {
  readonly action: 'accept' | 'decline' | 'cancel';
  readonly content?: unknown;
}

/** Question as it is asked, before it has a number. */
export type AskedQuestion = Omit<QuestionView, 'id'>;

interface Waiting {
  readonly question: QuestionView;
  settle(answer: PersonsAnswer): void;
}

/** Questions of servers that wait for the person at the page. */
export class Questions {
  readonly #feed: Feed;
  readonly #waiting = new Map<number, Waiting>();
  #count = 0;

  constructor(feed: Feed) {
    this.#feed = feed;
  }

  /**
   * Asks the person, and waits until they answer or nobody wants to know any more.
   *
   * @throws Error where too many questions wait.
   * @throws what the signal was aborted with.
   */
  async ask(
    asked: AskedQuestion,
    { signal, shown }: { readonly signal: AbortSignal; shown<T>(value: T): T },
  ): Promise<PersonsAnswer> {
    signal.throwIfAborted();
    if (this.#waiting.size >= most) throw new Error(`${most} questions wait for the person already`);
    const id = ++this.#count;
    const question = { ...asked, id };
    const key = `question ${id}`;
    let give = (): void => {};
    try {
      return await new Promise<PersonsAnswer>((settle, reject) => {
        give = (): void => reject(signal.reason instanceof Error ? signal.reason : new Error('given up'));
        signal.addEventListener('abort', give, { once: true });
        this.#waiting.set(id, { question, settle });
        this.#feed.keep(key, { kind: 'question', question: shown(question) });
      });
    } finally {
      signal.removeEventListener('abort', give);
      this.#waiting.delete(id);
      this.#feed.drop(key, { kind: 'answered', id });
    }
  }

  /** The question with a number. @throws VerbError where it waits no more. */
  question(id: number): QuestionView {
    return this.#open(id).question;
  }

  /** Gives an answer. @throws VerbError where the question waits no more. */
  answer(id: number, answer: PersonsAnswer): void {
    this.#open(id).settle(answer);
  }

  #open(id: number): Waiting {
    const waiting = this.#waiting.get(id);
    if (waiting === undefined)
      throw new VerbError(410, 'this question waits no more: it was answered, or given up by who asked');
    return waiting;
  }
}
