import { SpanStatusCode, type Attributes, type Histogram, type Span } from '@opentelemetry/api';
import type { MiddlewareContext } from '../connection/middleware/middleware.ts';
import type { JsonObject } from '../protocol/features/common.ts';
import { jsonAttribute, requestAttributes, sharedAttributes, spanName, type SeenNames } from './facts.ts';
import { manyNames, type LimitedNames } from './limited-names.ts';
import { failureIn, failureOf, type Failure } from './outcome.ts';
import type { MeasuredSession } from './measured-sessions.ts';

/** The longest message of an error that a span keeps, in characters. */
const maxMessageLength = 256;

/** Parts that an operation reports to. */
export interface OperationParts {
  readonly span: Span;
  readonly duration: Histogram;
  readonly names: SeenNames;
  readonly errorTypes: LimitedNames;
  readonly session: MeasuredSession | undefined;
  readonly toolResults: boolean;
  /** Hears when what was asked of a server is done, be it given up before or not. */
  readonly done?: (() => void) | undefined;
}

/** A request or notification that goes on, with its span; it ends once. */
export class Operation {
  readonly #passing: MiddlewareContext;
  readonly #parts: OperationParts;
  readonly #begun = performance.now();
  readonly #name: string;
  #isOver = false;
  #forget: (() => void) | undefined;

  /** @param name The name with which its span began. */
  constructor(passing: MiddlewareContext, name: string, parts: OperationParts) {
    this.#passing = passing;
    this.#name = name;
    this.#parts = parts;
  }

  /** Ends it should its request be given up: what runs then may go on for ever. */
  endWhenGivenUp(): void {
    const { signal } = this.#passing;
    const giveUp = (): void => this.#end({ type: 'cancelled' });
    if (signal.aborted) return giveUp();
    signal.addEventListener('abort', giveUp, { once: true });
    this.#forget = () => signal.removeEventListener('abort', giveUp);
  }

  /** Takes its result, which of a notification is empty. */
  answered(result: JsonObject): void {
    this.#parts.done?.();
    const { names, toolResults, span } = this.#parts;
    const passing = this.#passing;
    const failure = failureIn(passing, result);
    if (failure === undefined && passing.kind === 'request') names.answered(passing, result);
    if (toolResults && passing.method === 'tools/call' && !this.#isOver && failure === undefined)
      span.setAttributes(jsonAttribute('gen_ai.tool.call.result', result));
    this.#end(failure, settledRevision(passing, result));
  }

  /** Takes what it failed with. */
  failed(error: unknown): void {
    this.#parts.done?.();
    this.#end(failureOf(this.#passing, error));
  }

  #end(failure: Failure | undefined, settled: Attributes = {}): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#forget?.();
    const { span, duration, names, errorTypes, session } = this.#parts;
    const passing = this.#passing;
    const name = spanName(passing, names);
    if (name !== this.#name) span.updateName(name);
    span.setAttributes({ ...requestAttributes(passing), ...settled, ...attributesOf(failure, (type) => type) });
    if (failure !== undefined)
      span.setStatus({
        code: SpanStatusCode.ERROR,
        ...(failure.message !== undefined && { message: failure.message.slice(0, maxMessageLength) }),
      });
    if (session !== undefined) Object.assign(session.attributes, settled);
    const shared = sharedAttributes(passing, names, 'metric');
    const limited = attributesOf(failure, (type) => errorTypes.of(type));
    duration.record((performance.now() - this.#begun) / 1000, { ...shared, ...settled, ...limited });
    this.#finish(session);
  }

  /** Ends the span, as of now, when the name of its session is there. */
  #finish(session: MeasuredSession | undefined): void {
    const { span } = this.#parts;
    if (session?.naming === undefined) {
      if (session?.name !== undefined) span.setAttribute('mcp.session.id', session.name);
      return span.end();
    }
    const end = performance.now();
    void session.naming.then(() => {
      if (session.name !== undefined) span.setAttribute('mcp.session.id', session.name);
      span.end(end);
    });
  }
}

/** Attributes of a failure; a peer may answer with any code, of which a metric tells some apart. */
function attributesOf(failure: Failure | undefined, limit: (type: string) => string): Attributes {
  if (failure === undefined) return {};
  const type = limit(failure.type);
  const hasCode = failure.code !== undefined && type !== manyNames;
  return { 'error.type': type, ...(hasCode && { 'rpc.response.status_code': type }) };
}

/** The revision that `initialize` settled, which is known from its result alone. */
function settledRevision({ method }: MiddlewareContext, result: JsonObject): Attributes {
  const { protocolVersion } = result;
  return method === 'initialize' && typeof protocolVersion === 'string'
    ? { 'mcp.protocol.version': protocolVersion }
    : {};
}
