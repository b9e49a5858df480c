import type { JsonObject } from '../../protocol/features/common.ts';
import { McpError } from '../../protocol/error.ts';
import { declaresExtension, extensionCapability } from '../../protocol/extension.ts';
import { methodOf } from '../../protocol/catalogue.ts';
import type { Call } from './call.ts';
import type { ServerCore } from './server-core.ts';

declare const made: unique symbol;

/** A result of a kind that an extension adds to those of the protocol; `extensionResult` makes one. */
export interface ExtensionResult {
  /** Only `extensionResult` makes values of this type. */
  readonly [made]: true;
}

interface Made {
  /** The extension that defines it; `undefined` for a forwarded result, which another server validated. */
  readonly extension?: string | undefined;
  readonly result: JsonObject;
}

const results = new WeakMap<object, Made>();

/**
 * Makes a result of a kind that an extension adds: return it from a tool, a prompt, a read of a resource or a method of
 * your own. It reaches clients that declared the extension; for any other the request fails with
 * `missingRequiredClientCapability`, so look at `ctx.client.supports(extension)` where there is another way to answer.
 * Since 2026-07-28, results have a `resultType`. In earlier revisions, a method of your own returns the fields alone.
 * There, returning this from a protocol method is an internal error.
 *
 * @param extension The id of the extension, which the server must have declared.
 * @param resultType The `resultType` on the wire.
 * @param fields The other fields; any JSON.
 * @throws TypeError for a kind that the protocol itself defines.
 *
 * @example server.tool('report', {}, (_, ctx) =>
 * ctx.client.supports('com.example/tickets') ? extensionResult('com.example/tickets', 'ticket', { ticket: 7 }) :
 * wait(), );
 */
export function extensionResult(extension: string, resultType: string, fields: JsonObject = {}): ExtensionResult {
  if (typeof resultType !== 'string' || resultType === '' || ['complete', 'input_required'].includes(resultType))
    throw new TypeError(`a result of an extension has a kind of its own, not ${JSON.stringify(resultType)}`);
  return mark({ extension, result: { ...fields, resultType } });
}

/** Marks a result as forwarded: a bridge does not know which extension defines it. */
export function passedOn(result: JsonObject): ExtensionResult {
  return mark({ extension: undefined, result });
}

function mark(what: Made): ExtensionResult {
  const handle = Object.freeze({});
  results.set(handle, what);
  // Only the type has the symbol.
  return handle as ExtensionResult;
}

/** Tells whether a handler returned an extension result. */
export function isExtensionResult(value: unknown): value is ExtensionResult {
  return typeof value === 'object' && value !== null && results.has(value);
}

/** A handler's result as JSON-serializable data. */
export type PackedResult = { readonly plain: unknown } | { readonly made: Made };

/** Converts a handler's return value to JSON-serializable data. */
export function packResult(value: unknown): PackedResult {
  // A WeakMap returns nothing for a key that is not an object.
  const made = results.get(value as object);
  return made === undefined ? { plain: value } : { made };
}

/** Restores a handler's return value from its JSON form. */
export function unpackResult(packed: PackedResult): unknown {
  return 'made' in packed ? mark(packed.made) : packed.plain;
}

/**
 * The result as it goes on the wire.
 *
 * @throws TypeError when the server does not declare the extension. The handler is at fault.
 * @throws McpError missingRequiredClientCapability when the client does not declare it.
 */
export function resultFor(value: ExtensionResult, call: Call, host: ServerCore): JsonObject {
  const { extension, result } = results.get(value) ?? { extension: undefined, result: {} };
  if (extension === undefined) return result;
  const { method, facts, client } = call;
  const declared = { ...host.capabilities().extensions, ...host.extensions?.() };
  if (!Object.hasOwn(declared, extension))
    throw new TypeError(`${method} gave a result of the extension ${extension}, which this server does not declare`);
  if (!declaresExtension(facts, client.capabilities, extension))
    throw new McpError(
      'missingRequiredClientCapability',
      `${method} is answered by the extension ${extension}, which the client did not declare`,
      { data: { requiredCapabilities: extensionCapability(extension) } },
    );
  // Before results had a type, a protocol method could return only its own result.
  if (!facts.resultTypes && methodOf(method) !== undefined)
    throw new McpError('internalError', `${method} has no result of another kind in ${facts.date}`);
  return result;
}
