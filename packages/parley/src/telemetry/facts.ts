/** Facts of a message in the attributes that the conventions name. */

import type { Attributes } from '@opentelemetry/api';
import type { MiddlewareContext } from '../connection/middleware/middleware.ts';
import { methodOf } from '../protocol/catalogue.ts';
import type { JsonObject } from '../protocol/features/common.ts';
import { LimitedNames, manyNames } from './limited-names.ts';

/** Limits of what a peer may have an attribute hold, in characters. */
const [maxNameLength, maxUriLength] = [128, 1024];

/** Methods that have something by its name, the attribute for the name, and the list that it stands in. */
const targets: Readonly<Record<string, { readonly key: string; readonly list: string; readonly of: string }>> = {
  'tools/call': { key: 'gen_ai.tool.name', list: 'tools/list', of: 'tools' },
  'prompts/get': { key: 'gen_ai.prompt.name', list: 'prompts/list', of: 'prompts' },
};

/** Every name is a method that a peer may send, those of what all objects have among them. */
function targetOf(method: string): (typeof targets)[string] | undefined {
  return Object.hasOwn(targets, method) ? targets[method] : undefined;
}

/** Methods whose `uri` is that of a resource. */
const ofResources: ReadonlySet<string> = new Set([
  'resources/read',
  'resources/subscribe',
  'resources/unsubscribe',
  'notifications/resources/updated',
]);

/** The limit of names of tools, prompts and methods of their own that metrics tell apart where no registry says which there are. */
const maxNames = 1000;

/** Names that are there as far as was seen: they were listed, or answered without an error. */
export class SeenNames {
  readonly #names = new LimitedNames(maxNames);
  /** True when requests are served here: what is sent may then be in the words of others. */
  #serves = false;

  /** Tells whether what a request names is known to be there. */
  knows({ method, known, params }: MiddlewareContext): boolean {
    return known ?? this.#names.has(keyOf(method, params));
  }

  /** Tells whether the name that a request has is one of few. */
  mayName(passing: MiddlewareContext): boolean {
    if (passing.side === 'server') this.#serves = true;
    return this.knows(passing) || (passing.direction === 'sent' && !this.#serves);
  }

  /** Tells whether a method is of the protocol, or known to be there. */
  knowsMethod(passing: MiddlewareContext): boolean {
    return methodOf(passing.method) !== undefined || (passing.kind === 'request' && this.knows(passing));
  }

  /** Takes note of what a request was answered with. */
  answered({ method, known, params }: MiddlewareContext, result: JsonObject): void {
    if (known === undefined && (targetOf(method) !== undefined || methodOf(method) === undefined))
      this.#names.add(keyOf(method, params));
    for (const [calling, { list, of }] of Object.entries(targets))
      if (method === list) this.#listed(calling, result[of]);
  }

  #listed(calling: string, entries: unknown): void {
    if (!Array.isArray(entries)) return;
    for (const entry of entries) this.#names.add(keyOf(calling, (entry ?? {}) as JsonObject));
  }
}

function keyOf(method: string, { name }: JsonObject): string {
  const target = targetOf(method) === undefined ? '' : String(name);
  return `${method} ${target}`.slice(0, 2 * maxNameLength);
}

/** The name of a span, which is one of few. */
export function spanName(passing: MiddlewareContext, names: SeenNames): string {
  const { method, params } = passing;
  if (!names.knowsMethod(passing)) return manyNames;
  const { name } = params;
  const isNamed = targetOf(method) !== undefined && typeof name === 'string' && names.mayName(passing);
  return isNamed ? `${method} ${name.slice(0, maxNameLength)}` : method;
}

/** Attributes that spans and metrics share; in metrics nothing is one of many. */
export function sharedAttributes(passing: MiddlewareContext, names: SeenNames, use: 'span' | 'metric'): Attributes {
  const isMetric = use === 'metric';
  const { method, params } = passing;
  const isKnown = names.knowsMethod(passing);
  const target = targetOf(method);
  const { name } = params;
  return {
    'mcp.method.name': isKnown || !isMetric ? method.slice(0, maxNameLength) : manyNames,
    ...(target !== undefined &&
      typeof name === 'string' && {
        [target.key]: isMetric && !names.knows(passing) ? manyNames : name.slice(0, maxNameLength),
      }),
    ...(method === 'tools/call' && { 'gen_ai.operation.name': 'execute_tool' }),
    ...connectionAttributes(passing),
    ...(passing.direction === 'sent' && serverAttributes(passing)),
  };
}

/** Attributes of the connection that carries a message. */
export function connectionAttributes({ revision, transport, protocol }: MiddlewareContext): Attributes {
  return {
    'mcp.protocol.version': revision,
    ...(transport !== undefined && { 'network.transport': transport }),
    ...(protocol !== undefined && { 'network.protocol.name': protocol }),
  };
}

const standardPorts: Readonly<Record<string, number>> = { 'http:': 80, 'https:': 443, 'ws:': 80, 'wss:': 443 };

/** The server that a client talks to, where it has an address. */
export function serverAttributes({ side, address }: MiddlewareContext): Attributes {
  const url = side === 'client' && address !== undefined && URL.canParse(address) ? new URL(address) : undefined;
  if (url === undefined || url.hostname === '') return {};
  const port = url.port === '' ? standardPorts[url.protocol] : Number(url.port);
  return { 'server.address': url.hostname, ...(port !== undefined && { 'server.port': port }) };
}

/** Attributes that only spans have, from what is known before the message goes on. */
export function spanAttributes(
  passing: MiddlewareContext,
  { toolArguments = false }: { readonly toolArguments?: boolean },
): Attributes {
  const { side, direction, method, params, address } = passing;
  const { uri } = params;
  return {
    ...requestAttributes(passing),
    ...(ofResources.has(method) && typeof uri === 'string' && { 'mcp.resource.uri': harmlessUri(uri) }),
    ...(side === 'server' && direction === 'received' && address !== undefined && { 'client.address': address }),
    ...(toolArguments &&
      method === 'tools/call' &&
      params['arguments'] !== undefined &&
      jsonAttribute('gen_ai.tool.call.arguments', params['arguments'])),
  };
}

/** An attribute that holds JSON; none for what cannot be written. */
export function jsonAttribute(key: string, value: unknown): Attributes {
  try {
    return { [key]: JSON.stringify(value) };
  } catch {
    return {};
  }
}

/** The id of a request, once it has one. */
export function requestAttributes({ requestId }: MiddlewareContext): Attributes {
  return requestId === undefined ? {} : { 'jsonrpc.request.id': String(requestId).slice(0, maxNameLength) };
}

/** A URI without what it may keep secret: who signs in by it, and what it asks. */
function harmlessUri(uri: string): string {
  // What is cut before could end within a password.
  return uri
    .replace(/^([a-z][a-z\d+.-]*:\/\/)[^/?#]*@/i, '$1')
    .slice(0, maxUriLength)
    .replace(/[?#].*$/s, '');
}
