import type * as Made from '../../../parley/src/telemetry/otel.ts';
import type * as Registered from '../../../parley/src/telemetry/registered.ts';
import type { HasMiddleware } from '../../../parley/src/connection/middleware/middleware.ts';
import { UsageError } from './io.ts';
import { oneOption, type ParsedOptions } from './options.ts';

/** Names of the OpenTelemetry options. */
export const telemetryOptions = { otel: { type: 'boolean' }, 'otel-trust': { type: 'string' } } as const;

/** Spans and metrics of a bridge. */
export interface Telemetry {
  /** Begins with what passes from now on. */
  follow(served: HasMiddleware): void;
  /** Has what was gathered sent. */
  flush(): Promise<void>;
}

/**
 * Loads what `--otel` needs, where it is given.
 *
 * @throws UsageError where it could do nothing: OpenTelemetry is not installed, or no SDK of it is registered.
 */
export async function telemetryOf(parsed: ParsedOptions): Promise<Telemetry | undefined> {
  const trust = oneOption(parsed, 'otel-trust', ['parent', 'link']);
  if (!parsed.flag('otel')) {
    if (trust !== undefined) throw new UsageError('--otel-trust goes with --otel');
    return undefined;
  }
  const { otel, isSdkRegistered, flushSdk } = await loadOtel();
  if (!isSdkRegistered())
    throw new UsageError(
      '--otel found no SDK of OpenTelemetry that is registered: a module of yours does that, which NODE_OPTIONS="--import ./telemetry.mjs" node_modules/.bin/parley loads, without npx; parley help bridge says what to install',
    );
  return { follow: (served) => served.use(otel({ ...(trust && { trust }) })), flush: flushSdk };
}

async function loadOtel(): Promise<typeof Made & typeof Registered> {
  try {
    const [made, registered] = await Promise.all([
      import('../../../parley/src/telemetry/otel.ts'),
      import('../../../parley/src/telemetry/registered.ts'),
    ]);
    return { ...made, ...registered };
  } catch (cause) {
    if ((cause as { readonly code?: unknown } | null)?.code !== 'ERR_MODULE_NOT_FOUND') throw cause;
    throw new UsageError(
      '--otel needs the package @opentelemetry/api beside parley-cli: npm install @opentelemetry/api@1.9',
      {
        cause,
      },
    );
  }
}
