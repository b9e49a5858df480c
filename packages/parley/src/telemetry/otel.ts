import {
  context,
  metrics,
  SpanKind,
  trace,
  type MeterProvider,
  type Tracer,
  type TracerProvider,
} from '@opentelemetry/api';
import { refuseUnknown, type Names } from '../options/known-names.ts';
import { refuseOther, refuseOtherWord } from '../options/known-values.ts';
import type { WatchingMiddleware } from '../server/runtime/events/watching.ts';
import type { Middleware, MiddlewareContext } from '../connection/middleware/middleware.ts';
import { isLater } from '../storage/maybe-promise.ts';
import { SeenNames, sharedAttributes, spanAttributes, spanName } from './facts.ts';
import { instrumentsOf, type Instruments } from './instruments.ts';
import { Service } from './service.ts';
import { serviceInstrumentsOf, type ServiceInstruments } from './service-instruments.ts';
import { LimitedNames } from './limited-names.ts';
import { Operation } from './operation.ts';
import { carrying, placeOfReceived, placeOfSent } from './propagation.ts';
import { MeasuredSessions } from './measured-sessions.ts';

/** Options of `otel`; every one has a default. */
export interface OtelOptions {
  /** Provider of the tracer; the global one by default. */
  readonly tracerProvider?: TracerProvider;
  /** Provider of the meter; the global one by default. */
  readonly meterProvider?: MeterProvider;
  /**
   * Use of the trace that a client names in what it sends: `parent` (the default) goes on with it, as the conventions have it; `link`
   * begins one of its own with a link to it, and takes no baggage, for servers whose callers are to choose neither ids nor what is
   * sampled. What a client, or a bridge of the server that it called, receives goes on with the trace that is named there in any case.
   */
  readonly trust?: 'parent' | 'link';
  /** Choice whether spans have the arguments of tools, which may hold secrets; false by default. */
  readonly toolArguments?: boolean;
  /** Choice whether spans have the results of tools, which may hold secrets; false by default. */
  readonly toolResults?: boolean;
}

const optionNames: Names<OtelOptions> = {
  tracerProvider: 1,
  meterProvider: 1,
  trust: 1,
  toolArguments: 1,
  toolResults: 1,
};

/** Name and version of the instrumentation. */
const scope = ['parley-mcp', '0.1.0'] as const;

/** The limit of kinds of errors that metrics tell apart: a peer chooses its codes. */
const maxErrorTypes = 50;

/**
 * Middleware that makes spans and metrics by the OpenTelemetry conventions for MCP, and carries their context in `_meta`.
 *
 * It belongs first: what is added before it is not in its spans. It works with whatever SDK the program has registered; without one it does
 * nothing. For one trace through a process the SDK needs a context manager, as `NodeSDK` has it. It makes no spans of HTTP, which has instrumentations of its own.
 *
 * @returns Middleware for `use` of a server, a client or a bridge.
 * @throws TypeError for options that do not exist or make no sense.
 * @example
 * import { otel } from 'parley-mcp/otel';
 *
 * server.use(otel());
 */
export function otel(options: OtelOptions = {}): Middleware {
  refuseUnknown('otel', options, optionNames);
  refuseOtherWord('trust', ['parent', 'link'], options.trust);
  for (const name of ['toolArguments', 'toolResults'] as const) refuseOther('boolean', name, options[name]);
  const instrumentation = new Instrumentation(options);
  const middleware: Middleware = (passing, next) => {
    const { operation, active, params } = instrumentation.begin(passing);
    try {
      const result = context.with(active, () => next(params));
      if (!isLater(result)) {
        operation.answered(result);
        return result;
      }
      // A signal costs as much as everything else; what is answered at once needs none.
      if (passing.direction === 'received' && passing.kind === 'request') operation.endWhenGivenUp();
      return Promise.resolve(result).then(
        (settled) => {
          operation.answered(settled);
          return settled;
        },
        (error: unknown) => {
          operation.failed(error);
          throw error;
        },
      );
    } catch (error) {
      operation.failed(error);
      throw error;
    }
  };
  return Object.assign(middleware, { watcher: instrumentation.service } satisfies Pick<WatchingMiddleware, 'watcher'>);
}

/** Parts that report to one meter. */
interface Measures {
  readonly of: MeterProvider;
  readonly instruments: Instruments;
  readonly sessions: MeasuredSessions;
  readonly ofService: ServiceInstruments;
}

/** A message on its way, as it goes on. */
interface Begun {
  readonly operation: Operation;
  readonly active: ReturnType<typeof trace.setSpan>;
  /** The parameters with which it goes on, where they are others. */
  readonly params: ReturnType<typeof carrying>;
}

/** All that one `otel()` knows. */
class Instrumentation {
  readonly #options: OtelOptions;
  readonly #tracer: Tracer;
  readonly #names = new SeenNames();
  readonly #errorTypes = new LimitedNames(maxErrorTypes);
  /** Numbers of what the middleware is used by, beside its messages. */
  readonly service: Service = new Service(() => this.#measuring().ofService);
  #measures: Measures | undefined;

  constructor(options: OtelOptions) {
    this.#options = options;
    this.#tracer = (options.tracerProvider ?? trace).getTracer(...scope);
  }

  begin(passing: MiddlewareContext): Begun {
    const { trust = 'parent', toolResults = false } = this.#options;
    const isSent = passing.direction === 'sent';
    const { parent, links } = isSent ? placeOfSent(passing) : placeOfReceived(passing, trust);
    const name = spanName(passing, this.#names);
    const kind = isSent ? SpanKind.CLIENT : SpanKind.SERVER;
    const attributes = { ...sharedAttributes(passing, this.#names, 'span'), ...spanAttributes(passing, this.#options) };
    const span = this.#tracer.startSpan(name, { kind, attributes, links: [...links] }, parent);
    const active = trace.setSpan(parent, span);
    const { instruments, sessions } = this.#measuring();
    const operation = new Operation(passing, name, {
      span,
      duration: isSent ? instruments.sent : instruments.received,
      names: this.#names,
      errorTypes: this.#errorTypes,
      session: sessions.of(passing),
      toolResults,
      done: this.#running(passing),
    });
    return { operation, active, params: isSent ? carrying(active, passing) : undefined };
  }

  /** Counts a request of a server among those that run; gives what takes it out again. A listen stream is open, and nothing runs for it. */
  #running({ side, direction, kind, method }: MiddlewareContext): (() => void) | undefined {
    if (side !== 'server' || direction !== 'received' || kind !== 'request' || method === 'subscriptions/listen')
      return undefined;
    this.service.runs(1);
    return () => this.service.runs(-1);
  }

  /** The instruments of the provider that there is now: a program may register one after this was made. */
  #measuring(): Measures {
    const of = this.#options.meterProvider ?? metrics.getMeterProvider();
    if (this.#measures?.of === of) return this.#measures;
    const meter = of.getMeter(...scope);
    const instruments = instrumentsOf(meter);
    const ofService = serviceInstrumentsOf(meter);
    this.service.catchUp(ofService);
    return (this.#measures = { of, instruments, sessions: new MeasuredSessions(instruments), ofService });
  }
}
