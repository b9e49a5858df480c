import { StoreError } from '../../store.ts';
import type { EngineClient } from './client.ts';

/**
 * Checks whether a server can hold a store.
 *
 * @param text Its reply to INFO.
 * @returns The way in which it may lose confirmed data, if there is one.
 * @throws StoreError with the setting that must change.
 */
export function requireSuitable(text: string): string | undefined {
  const facts = new Map(
    text.split(/\r?\n/).flatMap((line) => {
      const at = line.indexOf(':');
      return at > 0 ? [[line.slice(0, at), line.slice(at + 1)] as const] : [];
    }),
  );
  const isValkey = facts.get('server_name') === 'valkey';
  const [product, least, version] = isValkey
    ? ['Valkey', '7.2', facts.get('valkey_version') ?? facts.get('redis_version') ?? '']
    : ['Redis', '7.0', facts.get('redis_version') ?? ''];
  if (isOlder(version, least))
    throw unsuitable(`a store needs ${product} ${least} or newer, and this is ${version || 'an unknown version'}`);
  const policy = facts.get('maxmemory_policy');
  if (facts.get('maxmemory') !== '0' && policy !== undefined && policy !== 'noeviction')
    throw unsuitable(
      `${product} drops data when its memory is full (maxmemory-policy ${policy}): set maxmemory-policy noeviction`,
    );
  if (facts.get('role') === 'slave')
    throw unsuitable(`this ${product} is a replica: give the URL of its primary, or its sentinels`);
  if (facts.get('aof_enabled') === '0')
    return `${product} has no append-only file (appendonly no), and forgets sessions when it ends`;
  return undefined;
}

/** Asks a server for INFO. */
export async function infoOf(client: EngineClient): Promise<string> {
  return String(await client.call('info'));
}

function isOlder(version: string, least: string): boolean {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const [leastMajor = 0, leastMinor = 0] = least.split('.').map(Number);
  return !(major > leastMajor || (major === leastMajor && minor >= leastMinor));
}

function unsuitable(message: string): StoreError {
  return new StoreError('unavailable', message);
}
