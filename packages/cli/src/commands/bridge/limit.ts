import type { BridgeBehavior } from '../../../../parley/src/bridge/options.ts';
import type { BridgeRates } from '../../../../parley/src/bridge/rates.ts';
import type { RateLimit } from '../../../../parley/src/storage/limits.ts';
import { UsageError } from '../io.ts';
import type { ParsedOptions } from '../options.ts';

/** The option that says how often clients may ask. */
export const limitOptions = { limit: { type: 'string', multiple: true } } as const;

/** Names of what can be limited; the default is requests. */
const limited = ['requests', 'initialize', 'tools', 'completions'] as const satisfies readonly (keyof BridgeRates)[];

const seconds: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3600 };

/**
 * Reads rate limits of clients, such as `20/s` and `tools=60/m`. The number is also the burst.
 *
 * @throws UsageError for an invalid limit, and for two of the same kind.
 */
export function limitsOf(parsed: ParsedOptions): Pick<BridgeBehavior, 'rateLimits'> {
  const rates = new Map<string, RateLimit>();
  for (const text of parsed.texts('limit')) {
    const [, what = 'requests', count, unit = ''] = /^(?:([a-z]+)=)?(\d{1,9})\/([smh])$/.exec(text) ?? [];
    if (count === undefined || Number(count) === 0 || !limited.some((name) => name === what))
      throw new UsageError(
        `--limit takes a number for each second, minute or hour, such as 20/s, tools=60/m or initialize=30/h (of ${limited.join(', ')}), not ${JSON.stringify(text)}`,
      );
    if (rates.has(what)) throw new UsageError(`--limit for ${what} is given twice`);
    rates.set(what, { perSecond: Number(count) / (seconds[unit] ?? 1), burst: Number(count) });
  }
  return rates.size === 0 ? {} : { rateLimits: Object.fromEntries(rates) };
}
