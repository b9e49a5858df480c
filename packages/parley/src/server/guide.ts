import type { Guide } from './runtime/server-core.ts';
import { methodOf } from '../protocol/catalogue.ts';
import type { ServerParts } from './parts/parts.ts';
import { failure, ToolError } from './definition/tool-result.ts';

/** Facts of a server that middleware needs. */
export function guideOf({ tools, prompts, methods }: ServerParts): Guide {
  return {
    knows: (method, params, auth) => {
      // The names in these parameters are strings.
      const { name } = params as { readonly name: string };
      if (method === 'tools/call') return tools.find(name, auth) !== undefined;
      if (method === 'prompts/get') return prompts.find(name, auth) !== undefined;
      return methodOf(method) !== undefined || methods.find(method, auth) !== undefined;
    },
    // As though the tool had thrown it.
    thrown: (method, error) =>
      method === 'tools/call' && error instanceof ToolError ? { ...failure(error.content) } : undefined,
  };
}
