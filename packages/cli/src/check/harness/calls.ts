import type { JsonObject } from '../../../../parley/src/protocol/features/common.ts';
import { isObject } from '../../../../parley/src/jsonrpc/message.ts';
import { encodeHeaderValue, headerParametersOf, headerValueOf } from '../../../../parley/src/connection/header.ts';
import { exampleOf } from './example.ts';
import { answers } from './exchange.ts';
import type { CallableTool } from './allowed.ts';
import type { RequestExchange, Conventions, ProbeClient } from './probe-client.ts';

/** Limit of the rounds of one call that are answered. */
const mostRounds = 8;

/** Longest wait for the end of a call, in milliseconds. */
export const callMs = 30_000;

/** A call, and the outcome of each of its rounds. */
export interface MadeCall {
  readonly of: CallableTool;
  /** Rounds, the last one with the end of the call. */
  readonly rounds: readonly RequestExchange[];
  readonly last: RequestExchange;
  /** Result of the tool; `undefined` where it was refused, is still asked for, or became a task. */
  readonly result: JsonObject | undefined;
  /** Time from the first request to the last response, in milliseconds. */
  readonly tookMs: number;
}

/** Way in which a tool is called. */
export interface CallConventions {
  readonly args?: JsonObject;
  /** Further parameters, such as `task`. */
  readonly params?: JsonObject;
  readonly meta?: JsonObject;
  /** Tells that nothing more is waited for; the response by default. */
  readonly until?: Conventions['until'];
  readonly id?: unknown;
  /** Longest wait for the end, in milliseconds. */
  readonly waitTimeoutMs?: number;
  /** Result for a question of the server, where it is not that of an obliging client; `undefined` refuses it. */
  readonly answer?: Responder;
  /** Headers that replace those that mirror arguments; `undefined` leaves one out. */
  readonly headers?: Readonly<Record<string, string | undefined>>;
}

/** Result for a question of a server; `undefined` refuses it. */
export type Responder = (question: JsonObject) => JsonObject | undefined;

/** Sends one request of a call, with the headers that mirror its arguments, and answers what the server asks meanwhile. */
export async function sendCall(
  probeClient: ProbeClient,
  { name, tool, args: own }: CallableTool,
  {
    args = own,
    params = {},
    meta,
    id = probeClient.newId(),
    waitTimeoutMs = callMs,
    ...conventions
  }: CallConventions = {},
): Promise<RequestExchange> {
  const mirrored = probeClient.revision.mirroredHeaders ? headerParametersOf(tool['inputSchema']).parameters : [];
  const headers: Record<string, string> = {};
  for (const { name: header, path } of mirrored) {
    const value = headerValueOf(args, path);
    if (value !== undefined) headers[`Mcp-Param-${header}`] = encodeHeaderValue(value);
  }
  return await probeClient.request(
    'tools/call',
    { name, arguments: args, ...params, ...(meta === undefined ? {} : { _meta: meta }) },
    {
      waitTimeoutMs,
      headers: { ...headers, ...conventions.headers },
      id,
      until: answeringUntil(probeClient, { id, ...conventions }),
    },
  );
}

/** Answers what a server asks while a request goes on, and tells that its response came. */
export function answeringUntil(
  probeClient: ProbeClient,
  { id, until, answer = obligingResult }: { readonly id: unknown } & Pick<CallConventions, 'until' | 'answer'>,
): NonNullable<Conventions['until']> {
  let seen = 0;
  return (messages) => {
    const fresh = messages.slice(seen).flat();
    seen = messages.length;
    for (const message of fresh) {
      const said = answerTo(message, answer);
      if (said !== undefined) void probeClient.say(said).catch(() => undefined);
    }
    return until?.(messages) ?? fresh.some((message) => answers(message, id));
  };
}

/** Calls a tool, and answers what it asks, until it ends. */
export async function makeCall(
  probeClient: ProbeClient,
  of: CallableTool,
  conventions: CallConventions = {},
): Promise<MadeCall> {
  const began = performance.now();
  const rounds: RequestExchange[] = [];
  let params: JsonObject = conventions.params ?? {};
  let last: RequestExchange;
  do {
    last = await sendCall(probeClient, of, { ...conventions, params });
    rounds.push(last);
    params = { ...conventions.params, ...nextRound(last, conventions.answer) };
  } while (wantsInput(last) && rounds.length < mostRounds);
  return { of, rounds, last, result: completeIn(last), tookMs: performance.now() - began };
}

/** Calls each tool once, with a progress token of its own: a text, or a number. */
export async function callEach(
  probeClient: ProbeClient,
  tools: readonly CallableTool[],
  token: (at: number) => string | number = (at) => `parley-check-${at}`,
): Promise<readonly MadeCall[]> {
  const made: MadeCall[] = [];
  for (const [at, tool] of tools.entries())
    made.push(await makeCall(probeClient, tool, { meta: { progressToken: token(at) } }));
  return made;
}

/** A progress token that is a number, and no id of a request. */
export function numberedToken(at: number): number {
  return 70_000 + at;
}

/** The result of a call that has ended. */
export function completeIn({ result }: RequestExchange): JsonObject | undefined {
  return result !== undefined && (result['resultType'] ?? 'complete') === 'complete' && result['task'] === undefined
    ? result
    : undefined;
}

/** Tells whether a result asks for something, before the call goes on. */
export function wantsInput({ result }: RequestExchange): boolean {
  return result?.['resultType'] === 'input_required';
}

/** Questions of a result, by their keys. */
export function questionsIn(result: JsonObject | undefined): readonly (readonly [key: string, question: JsonObject])[] {
  const requests = result?.['inputRequests'];
  return isObject(requests)
    ? Object.entries(requests).filter((entry): entry is [string, JsonObject] => isObject(entry[1]))
    : [];
}

/** Parameters of the round after one that asks. */
export function nextRound({ result }: RequestExchange, answer: Responder = obligingResult): JsonObject {
  const answers = questionsIn(result).map(([key, question]) => [key, answer(question)] as const);
  const state = result?.['requestState'];
  return {
    inputResponses: Object.fromEntries(answers),
    ...(state === undefined ? {} : { requestState: state }),
  };
}

/** Response to a request of a server; `undefined` if it is not a request. */
function answerTo(message: unknown, answer: Responder): JsonObject | undefined {
  if (!isObject(message) || typeof message['method'] !== 'string' || message['id'] === undefined) return undefined;
  const result = answer(message);
  return { jsonrpc: '2.0', id: message['id'], ...(result === undefined ? refusal : { result }) };
}

const refusal = { error: { code: -32601, message: 'Method not found' } };

/** Answer of an obliging client: forms are filled in, pages are not opened. */
export function obligingResult({ method, params }: JsonObject): JsonObject | undefined {
  const about = isObject(params) ? params : {};
  switch (method) {
    case 'ping':
      return {};
    case 'roots/list':
      return { roots: [] };
    case 'sampling/createMessage':
      return {
        role: 'assistant',
        content: { type: 'text', text: 'parley' },
        model: 'parley-check',
        stopReason: 'endTurn',
      };
    case 'elicitation/create': {
      if (about['mode'] === 'url') return { action: 'decline' };
      const content = exampleOf(about['requestedSchema']);
      return { action: 'accept', content: isObject(content) ? content : {} };
    }
    default:
      return undefined;
  }
}
