import { shownId, type RequestId } from '../../jsonrpc/message.ts';
import type { Ask, AskMethod } from '../../connection/client-request.ts';
import type { CallClient, CallFace } from '../runtime/call.ts';
import type { AuthInfo } from '../runtime/request-handler.ts';
import { requireScopes } from '../runtime/protection.ts';
import { isUnnamed, quiet } from '../../connection/client-request.ts';
import { shownMeta } from '../../connection/middleware/shown-ids.ts';
import { refuseUnknown } from '../../options/known-names.ts';
import { refuseOtherWord } from '../../options/known-values.ts';
import { refuseMistakes } from '../../options/kinds.ts';
import { shown } from '../../options/shown.ts';
import type { JsonObject } from '../../protocol/features/common.ts';
import { loggingLevels, type LoggingLevel } from '../../protocol/features/logging-level.ts';
import type { RevisionDate } from '../../protocol/revision.ts';
import type { Root } from '../../protocol/features/roots.ts';
import type { CreateMessageRequestParams, CreateMessageResult } from '../../protocol/features/sampling.ts';
import type { AnySchema, InferOutput } from '../../schema/infer.ts';
import { toInputSchema } from '../../schema/schema.ts';
import type { TaskContext } from './task-definition.ts';
import type { AskAsTaskOptions, AskOptions, ToolContext, Elicited, ElicitedUrl } from './tool-context.ts';
import { formOf } from './form.ts';
import { checkQuestion } from './check-result.ts';

/** A call, and the parts of a task if it is one or may become one. */
type TaskFace = CallFace & {
  readonly task?: TaskContext | undefined;
  background?(): Promise<void>;
};

/** A request as its handler sees it: a thin cover over the call. */
export class Context implements ToolContext {
  readonly #call: TaskFace;
  /** The keys of the questions of this run. */
  #keys: Set<string> | undefined;

  constructor(call: TaskFace) {
    this.#call = call;
  }

  get signal(): AbortSignal {
    return this.#call.signal;
  }

  get requestId(): RequestId {
    return shownId(this.#call.requestId);
  }

  get revision(): RevisionDate {
    return this.#call.revision;
  }

  get client(): CallClient {
    return this.#call.client;
  }

  get auth(): AuthInfo | undefined {
    return this.#call.auth;
  }

  get meta(): JsonObject {
    return shownMeta(this.#call.meta);
  }

  get task(): TaskContext | undefined {
    return this.#call.task;
  }

  async background(): Promise<void> {
    await this.#call.background?.();
  }

  get inputResponses(): JsonObject | undefined {
    return this.#call.inputResponses;
  }

  get requestState(): unknown {
    return this.#call.requestState;
  }

  progress(done: number, total?: number, message?: string): void {
    this.#call.progress(done, total, message);
  }

  requireScopes(...scopes: readonly string[]): void {
    requireScopes(this.#call, scopes);
  }

  log(level: LoggingLevel, data: unknown, logger?: string): void {
    refuseOtherWord('level', loggingLevels, level);
    this.#call.log(level, data, logger);
  }

  closeStream(retryMs?: number): void {
    const given: unknown = retryMs;
    if (given !== undefined && !(typeof given === 'number' && given >= 0))
      throw new TypeError(`closeStream takes milliseconds of at least 0, or nothing, not ${shown(given)}`);
    this.#call.closeStream(retryMs);
  }

  elicit<const S extends AnySchema>(
    request: { readonly message: string; readonly schema: S },
    options: AskAsTaskOptions = {},
  ): Promise<Elicited<InferOutput<S>>> {
    refuseUnknown('ctx.elicit', request, { message: 1, schema: 1 });
    const schema = toInputSchema(request.schema);
    const params = { message: request.message, requestedSchema: formOf(schema.json) };
    return this.#ask<Elicited<InferOutput<S>>>(
      'elicitation/create',
      { ...params },
      options,
      async ({ action, content }) => {
        // The answer was read as an ElicitResult: the action is one of three.
        if (action !== 'accept') return { value: { action: action as 'decline' | 'cancel' } };
        const checked = await schema.validate(content ?? {});
        if (checked.problems === undefined)
          return { value: { action: 'accept', content: checked.value as InferOutput<S> } };
        return { problem: checked.problems.map(({ path, message }) => `${path}: ${message}`).join('; ') };
      },
    );
  }

  async elicitUrl(
    { message, url }: { readonly message: string; readonly url: string },
    options: AskAsTaskOptions = {},
  ): Promise<ElicitedUrl> {
    if (!URL.canParse(url)) throw new TypeError(`${JSON.stringify(url)} is not a URL`);
    // Spec 2025-11-25, Elicitation, URL mode: an id links the completion notification to the question. Later revisions
    // have none.
    const elicitationId = this.#call.facts.serverRequests ? crypto.randomUUID() : undefined;
    const params = { mode: 'url', message, url, ...(elicitationId === undefined ? {} : { elicitationId }) };
    const { action } = await this.#ask('elicitation/create', params, options, (answer) => ({
      value: answer as unknown as ElicitedUrl,
    }));
    return {
      action,
      elicitationId,
      completed: () => {
        if (elicitationId !== undefined)
          this.#call.session?.notify('notifications/elicitation/complete', { elicitationId });
      },
    };
  }

  sample(params: CreateMessageRequestParams, options: AskAsTaskOptions = {}): Promise<CreateMessageResult> {
    if (params.task !== undefined) throw new TypeError('ctx.sample takes task as an option, beside the parameters');
    return this.#ask('sampling/createMessage', { ...params }, options, (answer) => ({
      value: answer as unknown as CreateMessageResult,
    }));
  }

  roots(options: AskOptions = {}): Promise<readonly Root[]> {
    return this.#ask('roots/list', {}, options, ({ roots }) => ({ value: roots as readonly Root[] }));
  }

  once<T>(key: string, run: (id: string) => T | Promise<T>): Promise<T> {
    if (typeof key !== 'string' || typeof run !== 'function')
      throw new TypeError('ctx.once takes a key and a function');
    return this.#counted(quiet(this.#call.requester.once(key, run)));
  }

  /** The answers are of the type of their question: the asker reads them by the method's own row. */
  #ask<T>(method: AskMethod, params: JsonObject, options: AskAsTaskOptions, accept: Ask<T>['accept']): Promise<T> {
    const { key, task } = options;
    refuseUnknown(`options of ${method}`, options, method === 'roots/list' ? { key: 1 } : { key: 1, task: 1 });
    checkQuestion({ method, params }, method);
    refuseMistakes('task of a question', task, {
      kinds: { ttlMs: 'time' },
      named: (name) => `${name} of the task of a question`,
    });
    if (key !== undefined) this.#claim(key);
    return this.#counted(quiet(this.#call.requester.ask({ method, params, key, task, accept })));
  }

  /** A handler that returns while a question or an effect is open has forgotten to await it. */
  #counted<T>(answer: Promise<T>): Promise<T> {
    const call = this.#call;
    call.unanswered++;
    const settle = (): unknown => call.unanswered--;
    answer.then(settle, settle);
    return answer;
  }

  /**
   * Answers are stored by key. With a reused key, the answer to one question would be taken for the answer to another.
   */
  #claim(key: string): void {
    if (isUnnamed(key))
      throw new TypeError(`the key ${JSON.stringify(key)} is reserved for questions without a key; choose another`);
    this.#keys ??= new Set();
    if (this.#keys.has(key)) {
      const name = JSON.stringify(key);
      throw new TypeError(`the key ${name} names an earlier question of this request; give each question its own`);
    }
    this.#keys.add(key);
  }
}
