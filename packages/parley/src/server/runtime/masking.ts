import { McpError } from '../../protocol/error.ts';
import type { ServerCore } from './server-core.ts';
import type { RequestMessage, ResponseMessage } from '../../jsonrpc/message.ts';
import { isLater } from '../../storage/maybe-promise.ts';

/**
 * The error that a peer may see. An `McpError` is passed on unchanged. Any other error is reported to the host and
 * becomes an internal error. That has the original message only if the host exposes messages.
 *
 * @param where The part that failed, for the host's report.
 */
export function maskedError(host: ServerCore, error: unknown, where: string): McpError {
  if (error instanceof McpError) return error;
  try {
    host.onError(error, where);
  } catch {
    // If the error listener itself throws, there is no one to report to. The request is answered all the same.
  }
  const words = host.exposeErrors === true ? messageOfAnything(error) : '';
  return new McpError('internalError', words === '' ? 'internal error' : words);
}

/** Masks the error of a request. The place is its method and the item that it names. */
export function maskedFailure(host: ServerCore, error: unknown, message: RequestMessage): McpError {
  return maskedError(host, error, placeOf(message));
}

function placeOf({ method, params }: RequestMessage): string {
  const asked = params?.['name'] ?? params?.['uri'];
  return typeof asked === 'string' ? `${method} ${JSON.stringify(asked.slice(0, 200))}` : method;
}

/**
 * Reports a handler that returned its result while a question or a `ctx.once` was open. The outcome of that question is
 * lost.
 */
export function reportUnanswered(
  host: ServerCore,
  message: RequestMessage,
  response: ResponseMessage | undefined,
): void {
  if (response !== undefined && 'result' in response && isAnswer(response.result))
    maskedError(host, unansweredQuestion(), placeOf(message));
}

/** Tells whether a result is a handler's ordinary result, not a request for input or a failure. */
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

/** The message of a thrown value. The value may be anything, even one that cannot be converted to text. */
export function messageOfAnything(error: unknown): string {
  try {
    return error instanceof Error ? String(error.message) : String(error);
  } catch {
    return 'no reason can be read';
  }
}

/** Runs a program's hook. Its failure is reported to the host and changes nothing. */
export function guarded<T>(host: ServerCore, where: string, run: () => T): T | undefined {
  try {
    const value = run();
    // The types expect no promise here. A promise that rejects must not end the process.
    if (isLater(value)) Promise.resolve(value).catch((error: unknown) => maskedError(host, error, where));
    return value;
  } catch (error) {
    maskedError(host, error, where);
    return undefined;
  }
}

/**
 * Writes errors to the console. The first error of a tool, and of any other request, has a hint how to send its text to
 * the client.
 *
 * @param exposeErrors The option of the server; left out if it has no such option.
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

const readsInternal = 'the client received only "internal error"; throw an McpError to send it a message';
const hints = [
  { place: /^tool /, hint: 'the model sees only that the call failed; throw a ToolError to send it a message' },
  { place: /^tools\/call\b/, hint: `${readsInternal}, or a ToolError to tell the model` },
  { place: /^[a-z]+\/[a-z]/, hint: readsInternal },
];
