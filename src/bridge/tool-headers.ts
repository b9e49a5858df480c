import type { HeaderParameter } from '../peer/endpoint.ts';
import { headerParametersOf } from '../peer/header.ts';
import type { JsonObject } from '../protocol/common.ts';
import type { Tool } from '../protocol/tools.ts';

const most = 10_000;

/** The tools of the upstream that mirror arguments in headers, so that both hops treat them alike. */
export class ToolHeaders {
  readonly #tools = new Map<string, Tool>();
  readonly #parameters = new Map<string, readonly HeaderParameter[]>();

  /** The definitions that annotate a parameter. */
  get tools(): readonly Tool[] {
    return [...this.#tools.values()];
  }

  /** Takes a whole list: what is not in it is gone. */
  learn(tools: readonly Tool[]): void {
    this.#tools.clear();
    this.#parameters.clear();
    for (const tool of tools) this.#add(tool);
  }

  /** Takes what a page of a list says, and gives the page back. */
  seen(result: JsonObject): JsonObject {
    // The page was read as the result of tools/list.
    for (const tool of result['tools'] as readonly Tool[]) this.#add(tool);
    return result;
  }

  of(tool: string): readonly HeaderParameter[] {
    return this.#parameters.get(tool) ?? [];
  }

  #add(tool: Tool): void {
    const { parameters, problems } = headerParametersOf(tool.inputSchema);
    this.#tools.delete(tool.name);
    this.#parameters.delete(tool.name);
    if (parameters.length === 0 || problems.length > 0 || this.#tools.size >= most) return;
    this.#tools.set(tool.name, tool);
    this.#parameters.set(tool.name, parameters);
  }
}
