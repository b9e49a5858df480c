import { McpError } from '../../protocol/error.ts';
import type { Host } from './host.ts';
import type { RequestMessage, ResponseMessage } from '../../jsonrpc/message.ts';
import { isLater } from '../../storage/now-or-later.ts';

/**
 * The error that a peer may see: one of ours keeps its words, anything else is told to the host and becomes an internal
 * error that says no more, or has its message where the host exposes those.
 *
 * @param where The part that failed, for whoever reads what the host was told.
 */
export function maskedError(host: Host, error: unknown, where: string): McpError {
  if (error instanceof McpError) return error;
  try {
    host.onError(error, where);
  } catch {
    // A listener of errors that throws has nobody left to be told; the request is answered all the same.
  }
  const words = host.exposeErrors === true ? messageOfAnything(error) : '';
  return new McpError('internalError', words === '' ? 'internal error' : words);
}

/** The same for a request, whose place is its method and what it asks for. */
export function maskedFailure(host: Host, error: unknown, message: RequestMessage): McpError {
  return maskedError(host, error, placeOf(message));
}

function placeOf({ method, params }: RequestMessage): string {
  const asked = params?.['name'] ?? params?.['uri'];
  return typeof asked === 'string' ? `${method} ${JSON.stringify(asked.slice(0, 200))}` : method;
}

/** Reports a handler that returned its result while a question or a `ctx.once` was open: what comes of it is lost. */
export function reportUnanswered(host: Host, message: RequestMessage, response: ResponseMessage | undefined): void {
  if (response !== undefined && 'result' in response && isAnswer(response.result))
    maskedError(host, unansweredQuestion(), placeOf(message));
}

/** Tells whether a result is what a handler returned, and no wish for input or failure. */
export function isAnswer({
  resultType,
  isError,
}: {
  readonly resultType?: unknown;
  readonly isError?: unknown;
}): boolean {
  return resultType !== 'input_required' && isError !== true;
}

export function unansweredQuestion(): Error {
  return new Error(
    'the handler returned before its question to the client was answered, or its ctx.once had ended; await ctx.elicit, ctx.once and their like',
  );
}

/** Message of what was thrown, which may be anything, also what cannot be made text. */
export function messageOfAnything(error: unknown): string {
  try {
    return error instanceof Error ? String(error.message) : String(error);
  } catch {
    return 'no reason can be read';
  }
}

/** Runs a hook of a program; its failure is told to the host and changes nothing. */
export function guarded<T>(host: Host, where: string, run: () => T): T | undefined {
  try {
    const value = run();
    // No type asks for a promise here; one that rejects must not end the process.
    if (isLater(value)) Promise.resolve(value).catch((error: unknown) => maskedError(host, error, where));
    return value;
  } catch (error) {
    maskedError(host, error, where);
    return undefined;
  }
}

/**
 * Writes errors to the console. The first error of a tool, and of another request, comes with a hint how to tell its text to the client.
 *
 * @param exposeErrors The option of the server; left out where there is no such option.
 */
export function errorPrinter(exposeErrors?: boolean): (error: unknown, where: string) => void {
  const hinted = new Set<string>();
  return (error, where) => {
    console.error(`${where}:`, error);
    const hint = exposeErrors === true ? undefined : hints.find(({ place }) => place.test(where))?.hint;
    if (hint === undefined || hinted.has(hint)) return;
    hinted.add(hint);
    console.error(`${where}: ${hint}${exposeErrors === false ? ', or set exposeErrors' : ''}`);
  };
}

const readsInternal = 'the client was told only "internal error"; throw an McpError to tell it more';
const hints = [
  { place: /^tool /, hint: 'the model was told only that it failed; throw a ToolError to tell it more' },
  { place: /^tools\/call\b/, hint: `${readsInternal}, or a ToolError to tell the model` },
  { place: /^[a-z]+\/[a-z]/, hint: readsInternal },
];
