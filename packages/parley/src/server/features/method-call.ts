/** Calls of the server's own methods. */

import { isObject } from '../../jsonrpc/message.ts';
import type { Call } from '../runtime/call.ts';
import { isExtensionResult } from '../runtime/extension-result.ts';
import { mapMaybe, type MaybePromise } from '../../storage/maybe-promise.ts';
import { shown } from '../../options/shown.ts';
import { isExtensionFlag, type ClientCapabilities, type ClientFlag } from '../../protocol/capability.ts';
import { extensionCapability } from '../../protocol/extension.ts';
import type { JsonObject } from '../../protocol/features/common.ts';
import { McpError } from '../../protocol/error.ts';
import type { Problem } from '../../schema/problem.ts';
import { Context } from '../definition/context.ts';
import { inWords } from '../definition/handler-errors.ts';
import type { MethodEntry } from './methods.ts';

/**
 * Runs a method.
 *
 * @throws McpError missingRequiredClientCapability if the client did not declare a required capability, invalidParams
 * if the
 * parameters are invalid.
 */
export function callMethod(entry: MethodEntry, params: JsonObject, call: Call): MaybePromise<unknown> {
  requireDeclared(entry, call);
  // `_meta` belongs to the protocol. Handlers find it in `ctx.meta`.
  const { _meta, ...own } = params;
  return mapMaybe(entry.params === undefined ? { value: own } : entry.params.validate(own), (checked) => {
    if (checked.problems !== undefined)
      throw new McpError('invalidParams', `invalid parameters of ${entry.name}: ${listed(checked.problems)}`, {
        data: { problems: checked.problems },
      });
    return call.aborted
      ? {}
      : mapMaybe(
          inWords(() => entry.run(checked.value, new Context(call))),
          (given) => outcome(entry, given),
        );
  });
}

/** Spec 2026-07-28, Base protocol, Error codes: -32021 names the capability that the client must declare. */
function requireDeclared({ name, capability, extension }: MethodEntry, { client }: Call): void {
  for (const flag of [capability, extension as ClientFlag | undefined]) {
    if (flag === undefined || client.supports(flag)) continue;
    throw new McpError('missingRequiredClientCapability', `${name} needs ${flag}, which the client did not declare`, {
      data: { requiredCapabilities: required(flag) },
    });
  }
}

function required(flag: ClientFlag): ClientCapabilities {
  if (isExtensionFlag(flag)) return extensionCapability(flag);
  return flag.split('.').reduceRight<JsonObject>((inner, key) => ({ [key]: inner }), {});
}

function outcome({ name, result }: MethodEntry, given: unknown): MaybePromise<unknown> {
  if (isExtensionResult(given)) return given;
  if (result === undefined) return objectOf(name, given ?? {});
  if (!isObject(given)) return mapMaybe(result.validate(given), (checked) => fitting(name, checked));
  // The fields that every result may have are not the schema's business.
  const { _meta, ...own } = given;
  return mapMaybe(result.validate(own), (checked) => {
    const value = fitting(name, checked);
    return _meta === undefined ? value : { ...value, _meta };
  });
}

function fitting(
  name: string,
  checked: { readonly value?: unknown; readonly problems?: readonly Problem[] | undefined },
): JsonObject {
  if (checked.problems !== undefined)
    throw new TypeError(`method ${shown(name)} returned an invalid result: ${listed(checked.problems)}`);
  return objectOf(name, checked.value);
}

/**
 * @throws TypeError if the value is not an object, as every result is, or has a `resultType` that only an extension may
 * set.
 */
function objectOf(name: string, value: unknown): JsonObject {
  if (!isObject(value) || Array.isArray(value))
    throw new TypeError(`method ${shown(name)} returned ${shown(value)}; a result is an object`);
  if ('resultType' in value && value['resultType'] !== 'complete')
    throw new TypeError(`method ${shown(name)} returned a resultType; return what extensionResult makes`);
  return value;
}

function listed(problems: readonly Problem[]): string {
  return problems.map(({ path, message }) => (path === '' ? message : `${path}: ${message}`)).join('; ');
}
