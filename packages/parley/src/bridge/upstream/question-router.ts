import type { JsonObject } from '../../protocol/features/common.ts';
import { McpError } from '../../protocol/error.ts';
import { relatedTaskOf } from '../tasks/task-forms.ts';
import type { ForwardedCall } from './forwarded-call.ts';
import type { OrphanedCalls } from './orphaned-calls.ts';
import { withDeclaredContext } from './sampling-context.ts';

/** Question of the upstream, and its withdrawal. */
export interface AskedUpstream {
  readonly method: string;
  readonly params: JsonObject;
  readonly signal: AbortSignal;
  /** The bridge's request in whose exchange it came, if the transport knows. */
  readonly request: number | undefined;
}

interface AskingOptions {
  /** The call that was sent with an id and still runs. */
  sentAs(id: number): ForwardedCall | undefined;
  /** Calls that run on the connection. */
  running(): readonly ForwardedCall[];
  readonly orphans: OrphanedCalls;
  /** Called for a question while no running call may be asked. */
  onUnexpected(): void;
}

/** Answers a question of the server. */
type Answering = (method: string, params: JsonObject, signal: AbortSignal) => Promise<JsonObject>;

/** Brings a question of the server to the one call that it can belong to. */
export class QuestionRouter {
  readonly #options: AskingOptions;
  /** Those who answer the questions of tasks, by the ids of the tasks. */
  readonly #answering = new Map<string, Answering>();

  constructor(options: AskingOptions) {
    this.#options = options;
  }

  /**
   * Answers the questions of a task, until it is left.
   *
   * @param taskId The id that the server knows.
   */
  answering(taskId: string, answer: Answering): () => void {
    this.#answering.set(taskId, answer);
    return () => void (this.#answering.get(taskId) === answer && this.#answering.delete(taskId));
  }

  /**
   * Asks the client of the call that the question belongs to. It is identified by its task, by the exchange in which
   * the question came, or because only one running call may be asked.
   *
   * @throws McpError if the call cannot be identified: no client is asked then.
   */
  async ask({ method, params, signal, request }: AskedUpstream): Promise<JsonObject> {
    const answer = this.#answering.get(relatedTaskOf(params) ?? '');
    if (answer !== undefined) return await answer(method, params, signal);
    const { orphans, running, sentAs, onUnexpected } = this.#options;
    if (request === undefined && orphans.exists) throw orphans.refusal(method);
    const possible = request === undefined ? running() : [sentAs(request)];
    const able = request === undefined ? running().filter(mayBeAsked) : possible;
    const [call] = able;
    if (able.length === 0) onUnexpected();
    if (able.length > 1) throw refusal(method, `${able.length} calls run that it may belong to`);
    if (call?.ask === undefined || call.signal.aborted) {
      const isRunning = possible.some((one) => one?.ask === undefined && one?.signal.aborted === false);
      const why = isRunning ? 'the client of the running call cannot answer it' : 'no call runs that it may belong to';
      throw refusal(method, why);
    }
    const { facts, client } = call;
    return await call.ask(method, withDeclaredContext(method, params, facts, client), signal);
  }
}

function mayBeAsked(call: ForwardedCall): boolean {
  return call.ask !== undefined && !call.signal.aborted;
}

/** The error for a server whose question reaches no client. */
function refusal(method: string, why: string): McpError {
  return new McpError('methodNotFound', `no client was asked ${JSON.stringify(method.slice(0, 100))}: ${why}`);
}
