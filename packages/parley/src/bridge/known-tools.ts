import { isObject } from '../jsonrpc/message.ts';
import { headerParametersOf, type HeaderParameter } from '../connection/header.ts';
import { wrapStructuredContent } from '../protocol/adapt/content.ts';
import { needsWrapping } from '../protocol/adapt/tool.ts';
import type { JsonObject } from '../protocol/features/common.ts';
import type { Revision } from '../protocol/revision.ts';
import type { Tool } from '../protocol/features/tool.ts';
import type { Settings } from './options.ts';
import type { AskedByResults } from './tasks/attempt.ts';

const most = 10_000;

interface Known {
  readonly tool: Tool;
  readonly parameters: readonly HeaderParameter[];
  readonly wrapped: boolean;
}

/**
 * The tools of the upstream whose definitions control how their calls are sent: with headers, or with a wrapped result.
 */
export class UpstreamTools {
  readonly #known = new Map<string, Known>();
  /** The task support of tools that may run as tasks. */
  readonly #support = new Map<string, 'optional' | 'required'>();

  /** The definitions that mirror a parameter. */
  get mirroring(): readonly Tool[] {
    return [...this.#known.values()].filter(({ parameters }) => parameters.length > 0).map(({ tool }) => tool);
  }

  /** Takes a whole list. Tools that are not in it are dropped. */
  learn(tools: readonly Tool[]): void {
    this.#known.clear();
    this.#support.clear();
    for (const tool of tools) this.#add(tool);
  }

  /** Takes the definitions of a page of a list, and returns the page. */
  seen(page: JsonObject): JsonObject {
    // The page was read as the result of tools/list, but for entries that are malformed.
    for (const tool of page['tools'] as readonly Tool[])
      if (isObject(tool) && isObject(tool.inputSchema)) this.#add(tool);
    return page;
  }

  headerParameters(tool: string): readonly HeaderParameter[] {
    return this.#known.get(tool)?.parameters ?? [];
  }

  /** The task support of a tool that may run as a task. */
  taskSupport(tool: string): 'optional' | 'required' | undefined {
    return this.#support.get(tool);
  }

  /** Code for requests whose clients are asked through results. */
  waiting(
    settings: Pick<Settings, 'suspended' | 'taskOnly'> & { readonly member?: string | undefined },
  ): AskedByResults {
    const { suspended, taskOnly, member = '' } = settings;
    const isTaskOnly = (tool: string): boolean => this.taskSupport(tool) === 'required';
    return { ...suspended, member, isTaskOnly: taskOnly === 'refuse' ? undefined : isTaskOnly };
  }

  /** The result of a call in the form of the listed output schema: if that is wrapped, an object is wrapped too. */
  fitted(result: JsonObject, tool: unknown, revision: Revision): JsonObject {
    if (revision.structuredContent !== 'object' || !isObject(result['structuredContent'])) return result;
    return typeof tool === 'string' && this.#known.get(tool)?.wrapped === true ? wrapStructuredContent(result) : result;
  }

  #add(tool: Tool): void {
    const { parameters: found, problems } = headerParametersOf(tool.inputSchema);
    const parameters = problems.length > 0 ? [] : found;
    const wrapped = tool.outputSchema !== undefined && needsWrapping(tool.outputSchema);
    this.#known.delete(tool.name);
    this.#support.delete(tool.name);
    const { taskSupport } = tool.execution ?? {};
    if ((taskSupport === 'optional' || taskSupport === 'required') && this.#support.size < most)
      this.#support.set(tool.name, taskSupport);
    if ((parameters.length > 0 || wrapped) && this.#known.size < most)
      this.#known.set(tool.name, { tool, parameters, wrapped });
  }
}
