import type { BridgeBehavior } from '../../../parley/src/bridge/options.ts';
import type { OnEvent } from '../../../parley/src/server/runtime/events/service-event.ts';
import { sealingKeyOf, type SealingKey } from '../../../parley/src/sealing/sealing-key.ts';
import type { Store } from '../../../parley/src/storage/store.ts';
import { UsageError, type Io } from './io.ts';
import type { ParsedOptions } from './options.ts';

/** Options of a bridge that shares what it keeps with other processes. */
export type SharedBehavior = Pick<BridgeBehavior, 'store' | 'rounds' | 'onEvent'>;

/** Names of the options that say what is shared. */
export const sharedStoreOptions = { redis: { type: 'string' }, 'redis-name': { type: 'string' } } as const;

/**
 * Runs a bridge with the store that the command line or the environment names, if one does, and then closes the store.
 *
 * @param complain Receives warnings of the store.
 * @throws UsageError for invalid options; otherwise the error of the store, before anything runs.
 */
export async function withSharedStore(
  parsed: ParsedOptions,
  io: Io,
  { complain, run }: { complain(message: string): void; run(shared: SharedBehavior): Promise<number> },
): Promise<number> {
  const keys = await keysOf(io);
  const rounds = keys === undefined ? {} : { rounds: { keys } };
  const found = await storeOf(parsed, io, { keys, complain });
  if (found === undefined) return await run(rounds);
  const { store, place } = found;
  try {
    await store.check();
    return await run({ ...rounds, store, onEvent: tellingOfStore(place, complain) });
  } finally {
    await store.close();
  }
}

async function storeOf(
  parsed: ParsedOptions,
  io: Io,
  { keys, complain }: { readonly keys: readonly SealingKey[] | undefined; complain(message: string): void },
): Promise<{ readonly store: Store; readonly place: string } | undefined> {
  const url = parsed.text('redis') ?? io.env['PARLEY_REDIS_URL'];
  const name = parsed.text('redis-name');
  if (url === undefined || url === '') {
    if (url === '' && parsed.text('redis') !== undefined) throw new UsageError('--redis must be a URL, and is empty');
    if (name !== undefined) throw new UsageError('--redis-name goes with --redis or PARLEY_REDIS_URL');
    return undefined;
  }
  if (keys === undefined)
    throw new UsageError(
      'bridges that share a Redis need the same PARLEY_KEYS: 32 bytes in base64, as openssl rand -base64 32 prints them',
    );
  const [{ redis }, { redisPlaceOf }] = await Promise.all([
    import('../../../parley/src/storage/redis/store/redis-store.ts'),
    import('../../../parley/src/storage/redis/store/client.ts'),
  ]);
  try {
    const store = redis(url, { keys, ...(name !== undefined && { name }), onWarning: complain });
    return { store, place: redisPlaceOf(url) ?? 'its socket' };
  } catch (cause) {
    throw new UsageError(cause instanceof Error ? cause.message : String(cause), { cause });
  }
}

/** Says when the store is lost or full, and when that is over. */
function tellingOfStore(place: string, complain: (message: string) => void): OnEvent {
  const seconds = (ms: number): string => `after ${Math.ceil(ms / 1000)} s`;
  return (event) => {
    if (event.type === 'store-lost')
      complain(`the Redis at ${place} cannot be used; requests that need it get 503 meanwhile`);
    if (event.type === 'store-back') complain(`the Redis at ${place} can be used again, ${seconds(event.awayMs)}`);
    if (event.type === 'store-full') complain(`the Redis at ${place} is full: no session is opened meanwhile`);
    if (event.type === 'store-roomy') complain(`the Redis at ${place} has room again, ${seconds(event.fullMs)}`);
  };
}

/** The keys of the environment, the newest first. */
async function keysOf({ env }: Io): Promise<readonly SealingKey[] | undefined> {
  const keys = (env['PARLEY_KEYS'] ?? '').split(/[\s,]+/).filter((key) => key !== '');
  if (keys.length === 0) return undefined;
  try {
    return keys.map((key) => sealingKeyOf(key));
  } catch (cause) {
    // It says nothing of what it was given.
    throw new UsageError('PARLEY_KEYS must be keys of 32 bytes in base64, between commas, the newest first', { cause });
  }
}
