import { JsonError } from '../../../../json/parse.ts';
import { parseMessage } from '../../../../jsonrpc/encode.ts';
import type { HttpCall } from './call.ts';
import type { HttpContext } from './context.ts';
import type { HttpSettings } from './options.ts';
import { tolerated } from './tolerated.ts';
import type { Body } from './universal.ts';
import { fullProblem, type HttpProblem } from './status.ts';

/** Outcome of reading the body of a request: a JSON value, a problem to answer, or neither if the client is gone. */
export type BodyContent =
  | { readonly kind: 'value'; readonly value: unknown }
  | { readonly kind: 'problem'; readonly problem: HttpProblem }
  | { readonly kind: 'gone' };

/** Reads the body of a request within the limits of size and depth; it must be JSON in UTF-8. */
export function readContent(call: HttpCall, context: HttpContext): BodyContent | Promise<BodyContent> {
  const body = call.request.body(context.settings.maxBodyBytes, call);
  return body instanceof Promise
    ? body.then((arrived) => contentOf(arrived, context, call))
    : contentOf(body, context, call);
}

function contentOf(body: Body, context: HttpContext, call: HttpCall): BodyContent {
  const { settings } = context;
  switch (body.kind) {
    case 'text':
      return contentOfText(body.text, context);
    case 'value':
      return nestsDeeper(body.value, settings.maxDepth) ? tooDeep(settings.maxDepth) : body;
    case 'too-large':
      tellOwnerOnce(settings);
      return problem({
        status: 413,
        message: `the body is larger than ${settings.maxBodyBytes} bytes`,
        headers: close,
      });
    case 'taken':
      settings.onError(new Error(taken));
      return problem({ status: 500, error: 'internalError', message: taken, read: true });
    case 'too-slow':
      return problem({ status: 408, message: 'the body did not arrive in time', headers: close });
    case 'no-room': {
      const full = fullProblem(call.lacks, 'bodies of requests are being read or answered', call);
      return problem({ ...full, headers: { ...full.headers, ...close } });
    }
    case 'not-utf8':
      return problem({ ...unreadable, message: 'the body is not UTF-8' });
    case 'gone':
      return body;
  }
}

/** The settings of servers that already reported the limiting option. */
const told = new WeakSet<HttpSettings>();

/**
 * Reports at the server which option would accept such a body, once. The person who sees the client's 413 is often not
 * the owner.
 */
function tellOwnerOnce(settings: HttpSettings): void {
  if (told.has(settings)) return;
  told.add(settings);
  settings.onWarning(
    `a body of more than ${settings.maxBodyBytes} bytes was refused with 413; if such are meant to come, serve with a larger maxBodyBytes`,
  );
}

/** Reads the text of a body. */
export function contentOfText(given: string, { endpoint, settings }: HttpContext): BodyContent {
  const isMarked = given.startsWith('\ufeff');
  // RFC 8259, section 8.1: a parser may ignore a byte order mark.
  const text = isMarked ? given.slice(1) : given;
  if (isMarked) tolerated(settings, 'JSON with a byte order mark');
  try {
    return {
      kind: 'value',
      value: parseMessage(text, { exactNumbers: endpoint.exactNumbers, depth: settings.maxDepth }),
    };
  } catch (error) {
    if (error instanceof JsonError && error.reason === 'too-deep') return tooDeep(settings.maxDepth);
    return problem({ ...unreadable, message: 'the body is not JSON' });
  }
}

const taken =
  'the body was read before it reached the MCP handler: mount the handler before body parsers, or leave what they parsed in request.body';

/** Header that ends the connection, so that the rest of a body is not read. */
const close = { Connection: 'close' };

const unreadable = { status: 400, error: 'parseError', read: true } as const;

function problem(reason: HttpProblem): BodyContent {
  return { kind: 'problem', problem: reason };
}

function tooDeep(depth: number): BodyContent {
  return problem({ status: 400, message: `the body nests deeper than ${depth} levels`, read: true });
}

/** Walks a value level by level, so that its depth cannot exhaust the stack. */
function nestsDeeper(value: unknown, limit: number): boolean {
  let level: unknown[] = [value];
  for (let depth = 0; level.length > 0; depth++) {
    const inner = level.filter((one): one is object => typeof one === 'object' && one !== null);
    if (inner.length > 0 && depth >= limit) return true;
    level = inner.flatMap((one) => Object.values(one));
  }
  return false;
}
