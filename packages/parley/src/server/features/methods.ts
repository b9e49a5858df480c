/** Methods of the server's own, beside those of the protocol. */

import { shown } from '../../options/shown.ts';
import type { ClientFlag } from '../../protocol/capability.ts';
import type { JsonObject } from '../../protocol/features/common.ts';
import { methodOf } from '../../protocol/catalogue.ts';
import type { AnySchema } from '../../schema/infer.ts';
import { toInputSchema, toOutputSchema, type ResolvedSchema } from '../../schema/schema.ts';
import type { RequestContext } from '../definition/tool-context.ts';
import type { Handle, MethodDefinition } from '../definition/definition.ts';
import type { Registry } from '../definition/registry.ts';

/** A registered method. */
export interface MethodEntry {
  readonly name: string;
  readonly params: ResolvedSchema | undefined;
  readonly result: ResolvedSchema | undefined;
  readonly capability: ClientFlag | undefined;
  readonly extension: string | undefined;
  readonly run: (params: unknown, ctx: RequestContext) => unknown;
}

type AnyMethod = MethodDefinition<AnySchema | undefined, AnySchema | undefined>;

/**
 * Adds a method.
 *
 * @param isDeclared Whether the server declares an extension.
 * @throws TypeError for a name of the protocol, a taken one, a schema that cannot be used, and an extension that is not declared.
 */
export function addMethod(
  registry: Registry<MethodEntry>,
  name: string,
  { definition, run, isDeclared }: AddedMethod,
): Handle<AnyMethod> {
  const what = `method ${shown(name)}`;
  if (typeof name !== 'string' || name === '' || name.startsWith('rpc.') || name.startsWith('notifications/'))
    throw new TypeError(`${what} is no name of a request; give one such as com.example/search`);
  if (methodOf(name) !== undefined)
    throw new TypeError(`${what} belongs to the protocol; give one of your own a prefix`);
  return registry.add(name, definition, (current) => {
    const { params, result, capability, extension } = current;
    if (extension !== undefined && !isDeclared(extension))
      throw new TypeError(
        `${what} belongs to the extension ${shown(extension)}, which is not declared: give it in \`extensions\`, or by server.extension`,
      );
    return { name, capability, extension, run, ...schemasOf(what, params, result) };
  });
}

interface AddedMethod {
  readonly definition: AnyMethod;
  readonly run: MethodEntry['run'];
  isDeclared(extension: string): boolean;
}

function schemasOf(
  what: string,
  params: AnySchema | undefined,
  result: AnySchema | undefined,
): Pick<MethodEntry, 'params' | 'result'> {
  try {
    return {
      params: params === undefined ? undefined : toInputSchema(params),
      result: result === undefined ? undefined : toOutputSchema(result),
    };
  } catch (cause) {
    throw new TypeError(`${what}: ${cause instanceof Error ? cause.message : String(cause)}`, { cause });
  }
}

/**
 * Description that a server gives of its own methods, as an experimental capability: their names, and the extension of
 * each.
 */
export function ownMethods(registry: Registry<MethodEntry>): JsonObject {
  // Capabilities are the same for every client.
  const shownToAll = registry.entries().filter(({ restrictions }) => restrictions.visible === undefined);
  return Object.fromEntries(
    shownToAll.map(({ value: { name, extension } }) => [name, extension === undefined ? {} : { extension }]),
  );
}
