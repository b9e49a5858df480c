import type { JsonObject } from '../../protocol/features/common.ts';
import { McpError } from '../../protocol/error.ts';
import { declaresExtension, extensionCapability } from '../../protocol/extension.ts';
import { methodOf } from '../../protocol/catalogue.ts';
import type { Call } from './call.ts';
import type { Host } from './host.ts';

declare const made: unique symbol;

/** A result of a kind that an extension adds to those of the protocol; `extensionResult` makes one. */
export interface ExtensionResult {
  /** Only `extensionResult` makes what has this type. */
  readonly [made]: true;
}

interface Made {
  /** The extension that it is of; `undefined` for one that is passed on, which somebody else judged. */
  readonly extension?: string | undefined;
  readonly result: JsonObject;
}

const results = new WeakMap<object, Made>();

/**
 * Makes a result of a kind that an extension adds: return it from a tool, a prompt, a read of a resource or a method of your
 * own. It reaches clients that declared the extension; for any other the request fails with
 * `missingRequiredClientCapability`, so look at `ctx.client.supports(extension)` where there is another way to answer.
 * Results say of what kind they are since 2026-07-28. Before, that of a method of your own has the fields alone, and a method of
 * the protocol has no other result than its own, so that one of these is an internal error.
 *
 * @param extension The id of the extension, which the server must have declared.
 * @param resultType What the result says that it is, on the wire.
 * @param fields The rest of it; any JSON.
 * @throws TypeError for the kinds that the protocol itself has.
 *
 * @example
 * server.tool('report', {}, (_, ctx) =>
 *   ctx.client.supports('com.example/tickets') ? extensionResult('com.example/tickets', 'ticket', { ticket: 7 }) : wait(),
 * );
 */
export function extensionResult(extension: string, resultType: string, fields: JsonObject = {}): ExtensionResult {
  if (typeof resultType !== 'string' || resultType === '' || ['complete', 'input_required'].includes(resultType))
    throw new TypeError(`a result of an extension has a kind of its own, not ${JSON.stringify(resultType)}`);
  return mark({ extension, result: { ...fields, resultType } });
}

/** Marks a result that is passed on as it came: a bridge does not know what it is of. */
export function passedOn(result: JsonObject): ExtensionResult {
  return mark({ extension: undefined, result });
}

function mark(what: Made): ExtensionResult {
  const handle = Object.freeze({});
  results.set(handle, what);
  // Nothing but the type knows of the symbol.
  return handle as ExtensionResult;
}

/** Tells whether a handler returned what an extension made. */
export function isExtensionResult(value: unknown): value is ExtensionResult {
  return typeof value === 'object' && value !== null && results.has(value);
}

/** Result of a handler as JSON can hold it. */
export type PackedResult = { readonly plain: unknown } | { readonly made: Made };

/** Makes JSON of what a handler returned. */
export function packResult(value: unknown): PackedResult {
  // A WeakMap has nothing under what is no object.
  const made = results.get(value as object);
  return made === undefined ? { plain: value } : { made };
}

/** Makes what a handler returned of its JSON. */
export function unpackResult(packed: PackedResult): unknown {
  return 'made' in packed ? mark(packed.made) : packed.plain;
}

/**
 * The result as it goes on the wire.
 *
 * @throws TypeError when the server does not declare the extension: the handler's own mistake.
 * @throws McpError missingRequiredClientCapability when the client does not.
 */
export function resultFor(value: ExtensionResult, call: Call, host: Host): JsonObject {
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
  // Before results said what they are, one of the protocol's own methods could be nothing but its own.
  if (!facts.resultTypes && methodOf(method) !== undefined)
    throw new McpError('internalError', `${method} has no result of another kind in ${facts.date}`);
  return result;
}
