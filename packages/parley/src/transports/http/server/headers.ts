import { plainNumber } from '../../../json/exact-number.ts';
import { isObject, type RequestMessage } from '../../../jsonrpc/message.ts';
import type { RequestHandler } from '../../../server/runtime/request-handler.ts';
import { decodeHeaderValue, type HeaderParameter } from '../../../connection/header.ts';
import { methodOf } from '../../../protocol/catalogue.ts';
import type { IncomingRequest } from './exchanges/universal.ts';

/**
 * Compares the headers that mirror the body with the body.
 *
 * @param parametersOf The mirrored arguments of a tool.
 * @returns The mismatch as one sentence, or `undefined`. (Spec 2026-07-28, Streamable HTTP, Server validation.)
 */
export function headerMismatch(
  request: IncomingRequest,
  message: RequestMessage,
  parametersOf: RequestHandler['headerParameters'],
): string | undefined {
  return (
    methodMismatch(request, message.method) ??
    nameMismatch(request, message) ??
    parameterMismatch(request, message, parametersOf)
  );
}

/** Compares `MCP-Protocol-Version` with the `_meta` of the message, if the message has one. */
export function versionMismatch(request: IncomingRequest, claimed: unknown): string | undefined {
  const version = request.header('mcp-protocol-version');
  if (version === undefined) return 'the MCP-Protocol-Version header is missing';
  if (claimed === undefined || typeof claimed !== 'string' || claimed === version) return undefined;
  return differs('MCP-Protocol-Version', version, claimed);
}

/** A message that is no request may leave the header out, but not contradict it. */
export function methodMismatch(request: IncomingRequest, method: string, required: boolean = true): string | undefined {
  const header = request.header('mcp-method');
  if (header === undefined) return required ? 'the Mcp-Method header is missing' : undefined;
  return header === method ? undefined : differs('Mcp-Method', header, method);
}

function nameMismatch(request: IncomingRequest, message: RequestMessage): string | undefined {
  const key = methodOf(message.method)?.nameParam;
  if (key === undefined) return undefined;
  const named = message.params?.[key];
  const header = request.header('mcp-name');
  // A name that is missing or no string is for the check of the parameters to refuse.
  if (header === undefined) return typeof named === 'string' ? 'the Mcp-Name header is missing' : undefined;
  const decoded = decodeHeaderValue(header);
  if (decoded === undefined) return 'the Mcp-Name header has invalid characters or a broken encoding';
  return decoded === named ? undefined : differs('Mcp-Name', decoded, named);
}

function parameterMismatch(
  request: IncomingRequest,
  message: RequestMessage,
  parametersOf: RequestHandler['headerParameters'],
): string | undefined {
  if (message.method !== 'tools/call') return undefined;
  const tool = message.params?.['name'];
  if (typeof tool !== 'string') return undefined;
  for (const parameter of parametersOf(tool)) {
    const problem = oneParameterMismatch(request, parameter, valueAt(message.params?.['arguments'], parameter.path));
    if (problem !== undefined) return problem;
  }
  return undefined;
}

function oneParameterMismatch(request: IncomingRequest, { name }: HeaderParameter, value: unknown): string | undefined {
  const field = `Mcp-Param-${name}`;
  const header = request.header(field.toLowerCase());
  // Spec 2026-07-28, Streamable HTTP: mirrored integers are within the safe range, so a larger one has no header.
  if (header === undefined) return isMirrored(plainNumber(value)) ? `the ${field} header is missing` : undefined;
  if (value === undefined || value === null) return `the ${field} header has no argument to mirror`;
  const decoded = decodeHeaderValue(header);
  if (decoded === undefined) return `the ${field} header has invalid characters or a broken encoding`;
  return mirrors(decoded, value) ? undefined : differs(field, decoded, plainNumber(value));
}

const decimal = /^-?\d{1,400}(?:\.\d{1,400})?(?:[eE][+-]?\d{1,3})?$/;

function mirrors(text: string, value: unknown): boolean {
  const plain = plainNumber(value);
  switch (typeof plain) {
    case 'string':
      return text === plain;
    case 'boolean':
      return text === String(plain);
    case 'number':
      // Beyond the safe range, two different texts would count as the same number.
      return isSafe(plain) ? decimal.test(text) && Number(text) === plain : text === String(value);
    default:
      return false;
  }
}

function isSafe(value: number): boolean {
  return Math.abs(value) <= Number.MAX_SAFE_INTEGER;
}

function valueAt(root: unknown, path: readonly string[]): unknown {
  let value = root;
  for (const key of path) {
    if (!isObject(value) || !Object.hasOwn(value, key)) return undefined;
    value = value[key];
  }
  return value;
}

/** Tells whether a client has to mirror an argument. */
function isMirrored(value: unknown): boolean {
  return typeof value === 'string' || typeof value === 'boolean' || (typeof value === 'number' && isSafe(value));
}

function differs(field: string, header: string, body: unknown): string {
  return `the ${field} header ${short(header)} does not match the body's ${short(body)}`;
}

function short(value: unknown): string {
  if (typeof value === 'object' && value !== null) return Array.isArray(value) ? 'array' : 'object';
  const text = JSON.stringify(value) ?? 'nothing';
  return text.length > 80 ? `${text.slice(0, 80)}…` : text;
}
