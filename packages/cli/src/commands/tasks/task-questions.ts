import type { InputHandlers } from '../../../../parley/src/client/api/input-handlers.ts';
import { visitOf } from '../../../../parley/src/client/input/url-elicitation.ts';
import type {
  ElicitRequestFormParams,
  ElicitRequestParams,
  ElicitRequestURLParams,
  ElicitResult,
  ElicitValue,
} from '../../../../parley/src/protocol/features/elicitation.ts';
import type { Io } from '../io.ts';
import { printed } from '../shown.ts';
import { typedEntry, fieldPrompt } from './form-field.ts';
import { TypedLines } from './typed-lines.ts';

/** Answers of a person to what a server asks. */
export type Answerers = Required<Pick<InputHandlers, 'onElicit' | 'onElicitUrl'>>;

/** Asks the person at the terminal, one thing after the other. */
export class TerminalQuestions {
  readonly handlers: Answerers;
  readonly #lines: TypedLines;
  readonly #write: (text: string) => void;
  /** Aborted when the person wants the command to end. */
  readonly #wish: AbortSignal;
  /** Removes the progress bar while the user types. */
  readonly #rest: () => () => void;
  readonly #limit: Io['limit'];
  #turn: Promise<unknown> = Promise.resolve();

  constructor(
    { stdin, stderr, signal: wish, limit }: Pick<Io, 'stdin' | 'stderr' | 'signal' | 'limit'>,
    rest: () => () => void,
  ) {
    this.#limit = limit;
    this.#lines = new TypedLines(stdin);
    this.#write = (text) => void stderr.write(text);
    this.#rest = rest;
    this.#wish = wish;
    const handle: Answerers['onElicit'] & Answerers['onElicitUrl'] = (params, { signal }) => this.ask(params, signal);
    this.handlers = { onElicit: handle, onElicitUrl: handle };
  }

  /** A person reads one question at a time; one that is not wanted any more is passed over. */
  async ask(params: ElicitRequestParams, signal: AbortSignal): Promise<ElicitResult> {
    const before = this.#turn;
    const asked = (async () => {
      await before.catch(() => undefined);
      signal.throwIfAborted();
      const resume = this.#rest();
      const goOn = this.#limit?.stop();
      // The user is at the end of a prompt, so the next message begins a new line. The question stays open for the next
      // client.
      const leaveLine = (): void => this.#write('\n');
      this.#wish.addEventListener('abort', leaveLine, { once: true });
      try {
        this.#lines.begin();
        return await (params.mode === 'url' ? this.#page(params, signal) : this.#form(params, signal));
      } finally {
        this.#wish.removeEventListener('abort', leaveLine);
        if (signal.aborted && !this.#wish.aborted) leaveLine();
        resume();
        goOn?.();
      }
    })();
    this.#turn = asked;
    return await asked;
  }

  /** Asks nothing any more. */
  close(): void {
    this.#lines.close();
  }

  async #page(params: ElicitRequestURLParams, signal: AbortSignal): Promise<ElicitResult> {
    const page = visitOf(params);
    if (page === undefined) throw new Error('the task asks to visit an unsafe page');
    const words = `the server asks you to visit a page of ${page.host}: ${page.message}`;
    this.#write(`${printed(words, 'line')}\n  ${printed(page.url, 'line')}\n`);
    return await this.#agreed('y when you have opened it, n declines', signal);
  }

  async #form({ message, requestedSchema }: ElicitRequestFormParams, signal: AbortSignal): Promise<ElicitResult> {
    const { properties, required = [] } = requestedSchema;
    const fields = Object.entries(properties);
    this.#write(`${printed(`the server asks: ${message}`, 'line')}\n`);
    if (fields.length === 0) return await this.#agreed('y or n', signal);
    this.#write(
      '(an empty line takes what stands in [ ], a line with only ! declines, the end of the input dismisses it)\n',
    );
    const content: (readonly [string, ElicitValue])[] = [];
    for (const [key, schema] of fields) {
      const isRequired = required.includes(key);
      for (;;) {
        this.#write(fieldPrompt(key, schema, isRequired));
        const line = await this.#lines.next(signal);
        if (line === undefined) return { action: 'cancel' };
        if (line.trim() === '!') return { action: 'decline' };
        const entry = typedEntry(key, line, { schema, isRequired });
        if ('problem' in entry) {
          this.#write(`${printed(`  ${entry.problem}`, 'line')}\n`);
          continue;
        }
        if (entry.value !== undefined) content.push([key, entry.value]);
        break;
      }
    }
    return { action: 'accept', content: Object.fromEntries(content) };
  }

  async #agreed(how: string, signal: AbortSignal): Promise<ElicitResult> {
    for (;;) {
      this.#write(`  (${how}) `);
      const line = (await this.#lines.next(signal))?.trim();
      if (line === undefined) return { action: 'cancel' };
      if (/^y(?:es)?$/i.test(line)) return { action: 'accept' };
      if (/^n(?:o)?$|^!$/i.test(line)) return { action: 'decline' };
    }
  }
}

/** Questions that are not answered here: they stay open, and the wait ends. */
export interface OpenQuestions {
  readonly handlers: Answerers;
  /** Resolves with the words of the first question. */
  readonly asked: Promise<string>;
  /** Leaves one question open: an answer of any kind would end it. */
  readonly leave: (question: { readonly message: string }) => Promise<never>;
}

/** Leaves every question open, so that it is answered by another command. */
export function openQuestions(): OpenQuestions {
  let resolve = (_: string): void => undefined;
  const asked = new Promise<string>((heard) => (resolve = heard));
  const leave = ({ message }: { readonly message: string }): Promise<never> => {
    resolve(message);
    return new Promise<never>(() => undefined);
  };
  return { handlers: { onElicit: leave, onElicitUrl: leave }, asked, leave };
}
