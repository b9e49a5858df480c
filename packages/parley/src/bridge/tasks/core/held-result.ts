import type { Call } from '../../../server/runtime/call.ts';
import { jsonText } from '../../../json/exact-number.ts';
import { after } from '../../../jsonrpc/timeout.ts';
import type { AskMethod } from '../../../connection/client-request.ts';
import { readAnswer } from '../../../connection/read-answer.ts';
import { requireCapabilities } from '../../../connection/required-capabilities.ts';
import { McpError } from '../../../protocol/error.ts';
import type { JsonObject } from '../../../protocol/features/common.ts';
import { metaKey } from '../../../protocol/meta.ts';
import { isObject } from '../../../jsonrpc/message.ts';
import { isQuestion, withoutToken } from '../../upstream/suspended/suspended-call.ts';
import { withDeclaredContext } from '../../upstream/sampling-context.ts';
import { withoutRelated } from '../task-forms.ts';

/** One question of the server that has no answer yet. */
interface Question {
  readonly method: AskMethod;
  readonly params: JsonObject;
  readonly size: number;
  readonly resolve: (answer: JsonObject) => void;
  readonly reject: (error: unknown) => void;
}

/** Limits of the questions of one task: of those that are open, of all, and of the text of those that are open. */
const maxOpen = 32;
const maxInAll = 256;
const mostCharacters = 4 * 1024 * 1024;

/** Parts of the call that its questions must fit. */
export type AskedClient = Pick<Call, 'facts' | 'client'>;

/** The result of a task, which is asked for as long as the task has questions: they come with it, and wait here for their client. */
export class HeldResult {
  /** Aborted when the result is no longer awaited. */
  readonly over: AbortController = new AbortController();
  readonly #taskId: string;
  readonly #asked: AskedClient;
  readonly #questions = new Map<string, Question>();
  /** Spec ext-tasks, Input requests: keys are unique for the life of a task, which may be asked for again. */
  readonly #name: string;
  #count = 0;
  #size = 0;
  #wake: () => void = () => undefined;
  #changed: Promise<void> = Promise.resolve();

  /** @param name Beginning of the keys of its questions. */
  constructor(taskId: string, asked: AskedClient, name: string) {
    this.#taskId = taskId;
    this.#name = name;
    this.#asked = asked;
    this.#renew();
  }

  /** The open questions, by their keys. */
  get inputRequests(): JsonObject {
    return Object.fromEntries([...this.#questions].map(([key, { method, params }]) => [key, { method, params }]));
  }

  /** Waits for the first question, or the end; not longer than that. */
  async some(limitMs: number): Promise<void> {
    if (this.#questions.size > 0 || this.over.signal.aborted) return;
    let cancel = (): void => undefined;
    const patience = new Promise<void>((resolve) => (cancel = after(limitMs, resolve)));
    await Promise.race([this.#changed, patience]);
    cancel();
    // Questions of one turn are reported together.
    await new Promise<void>((resolve) => void after(0, resolve, true));
  }

  /**
   * Asks the client of the task.
   *
   * @throws McpError for a question that the client did not declare support for, and for too many questions.
   */
  async ask(method: string, params: JsonObject, signal: AbortSignal): Promise<JsonObject> {
    const { facts, client } = this.#asked;
    if (!isQuestion(method))
      throw new McpError('methodNotFound', `${jsonText(method.slice(0, 100))} cannot be asked of this client`);
    const declared = withDeclaredContext(method, params, facts, client);
    requireCapabilities(method, declared, facts, client.capabilities);
    const plain = withoutToken(withoutRelated(declared));
    const size = jsonText(plain).length;
    if (this.#questions.size >= maxOpen || this.#count >= maxInAll || this.#size + size > mostCharacters)
      throw new McpError('internalError', 'the task asks too much');
    const key = `${this.#name}-${++this.#count}`;
    const answer = new Promise<JsonObject>((resolve, reject) => {
      this.#questions.set(key, { method, params: plain, size, resolve, reject });
      this.#size += size;
    });
    const withdraw = (): void => this.#take(key)?.reject(new McpError('internalError', 'the question was withdrawn'));
    signal.addEventListener('abort', withdraw);
    if (signal.aborted || this.over.signal.aborted) withdraw();
    this.#renew();
    const { _meta: meta, ...given } = await answer.finally(() => signal.removeEventListener('abort', withdraw));
    // Spec 2025-11-25, Tasks, Related Task Metadata: the answer must name the task too (MUST).
    return { ...given, _meta: { ...(isObject(meta) ? meta : {}), [metaKey.relatedTask]: { taskId: this.#taskId } } };
  }

  /** Delivers answers to open questions. Answers to other questions, and invalid ones, are ignored. */
  answer(responses: JsonObject): void {
    for (const [key, { method }] of this.#questions) {
      const given = Object.hasOwn(responses, key) ? responses[key] : undefined;
      const answer = isObject(given) ? readAnswer(this.#asked.facts, method, given) : undefined;
      if (answer !== undefined) this.#take(key)?.resolve(answer);
    }
  }

  /** Ends it: open questions are rejected. */
  end(why: string): void {
    this.over.abort(new DOMException(why, 'AbortError'));
    for (const key of this.#questions.keys()) this.#take(key)?.reject(new McpError('internalError', why));
    this.#renew();
  }

  #take(key: string): Question | undefined {
    const question = this.#questions.get(key);
    this.#questions.delete(key);
    this.#size -= question?.size ?? 0;
    return question;
  }

  #renew(): void {
    this.#wake();
    this.#changed = new Promise((resolve) => (this.#wake = resolve));
  }
}
