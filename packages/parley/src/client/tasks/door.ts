import { loadedOnce } from '../../options/loaded-once.ts';
import { declaresExtension, withExtensions } from '../../protocol/extension.ts';
import type { ClientCapabilities } from '../../protocol/capability.ts';
import type { JsonObject } from '../../protocol/features/common.ts';
import { tasksExtension } from '../../protocol/features/tasks.ts';
import type { CallToolResult } from '../../protocol/features/tools.ts';
import type { PageOptions } from '../cache/cacheable-request.ts';
import { readResult } from '../api/read-result.ts';
import type { ClientParts, Requests } from '../requests/requests.ts';
import type { ClientTasks } from './client-tasks.ts';
import type { ToolCallOptions } from '../api/task-handle.ts';

/** The parameters of a call. */
export interface ToolCall {
  readonly name: string;
  readonly arguments?: JsonObject;
}

/** Calls of tools that may become tasks; what following those takes is loaded by the first that does. */
export class TaskDoor {
  readonly #parts: ClientParts;
  readonly #requests: Requests;
  #declared: { readonly of: ClientCapabilities; readonly made: ClientCapabilities } | undefined;

  constructor(parts: ClientParts, requests: Requests) {
    this.#parts = parts;
    this.#requests = requests;
  }

  /** Calls a tool, and waits for its outcome, which may be a task. */
  async call(call: ToolCall, options: ToolCallOptions | undefined): Promise<CallToolResult> {
    const { revision, capabilities } = this.#parts.connection;
    const surface = this.#parts.settings.tasks ? revision.tasks : 'none';
    if (surface === 'core' && capabilities.tasks?.requests?.tools?.call !== undefined)
      return await (await this.load()).callInCore(call, options);
    // SEP-2133: an extension is only declared to servers that have it.
    if (surface !== 'extension' || !declaresExtension(revision, capabilities, tasksExtension))
      return await this.#requests.call('tools/call', call, options);
    let usedMs = 0;
    const task = { late: this.abandoning(call, options), took: (ms: number) => void (usedMs += ms) };
    const sent = { ...this.declaring(options), task };
    const result = await this.#requests.complete('tools/call', call, sent);
    if (result['resultType'] !== 'task') return readResult(revision, 'tools/call', result);
    return await (await this.load()).finish(call, result, { ...sent, usedMs });
  }

  /** The options of a request with which the extension is declared, and of what follows it. */
  declaring(options: ToolCallOptions & PageOptions = {}): ToolCallOptions & PageOptions {
    const { capabilities = this.#capabilities, resultTypes = [] } = options;
    // A request for another client carries what that client declared.
    if (!declaresExtension(this.#parts.connection.revision, capabilities, tasksExtension)) return options;
    return { ...options, capabilities, resultTypes: resultTypes === 'any' ? 'any' : [...resultTypes, 'task'] };
  }

  /** Cancels the task of a call that was aborted before its answer came. */
  abandoning(call: ToolCall, options: ToolCallOptions = {}): (result: JsonObject) => void {
    return (result) => {
      if (result['resultType'] === 'task' && options.onGiveUp !== 'leave')
        this.load()
          .then((tasks) => tasks.abandon(call, result, this.declaring(options)))
          .catch((cause: unknown) =>
            this.#parts.settings.onWarning?.('the task of a cancelled call could not be cancelled', cause),
          );
    };
  }

  /** Loads what follows tasks. */
  readonly load: () => Promise<ClientTasks> = loadedOnce(async () => {
    const late = await import('./client-tasks.ts');
    return new late.ClientTasks(this.#parts, this.#requests, this);
  });

  /** Capabilities of the client with the extension: the same object until they change. */
  get #capabilities(): ClientCapabilities {
    const { connection, settings } = this.#parts;
    const { capabilities: of, extensions } = settings;
    if (this.#declared?.of !== of) {
      const made = withExtensions(connection.revision, of, { ...extensions, [tasksExtension]: {} });
      this.#declared = { of, made };
    }
    return this.#declared.made;
  }
}
