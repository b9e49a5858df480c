/** The place in a file of a host at which its servers stand. */

import { isObject } from '../../../../parley/src/jsonrpc/message.ts';
import { nearest } from '../../../../parley/src/options/nearest.ts';
import { UsageError } from '../io.ts';
import { jsonKindOf, pathOf } from './read.ts';

/** Servers by name, and the keys that lead to them. */
interface ServerMap {
  readonly path: readonly string[];
  readonly servers: Readonly<Record<string, unknown>>;
}

/**
 * The keys under which hosts keep servers: most of them, VS Code (also within its settings), Zed, and opencode. In the settings of
 * Gemini CLI `mcp` names the servers that are allowed, or excluded.
 */
const places: readonly (readonly string[])[] = [
  ['mcpServers'],
  ['servers'],
  ['context_servers'],
  ['mcp', 'servers'],
  ['mcp'],
];

/** Keys of an entry, of which one says how the server is reached. */
const reaching = ['command', 'url', 'httpUrl', 'serverUrl'];

/**
 * Finds the servers in a file. Settings files have other contents, which concern only the host.
 *
 * @throws UsageError if there are none.
 */
export function serverMaps(
  value: unknown,
  file: string,
): { readonly maps: readonly ServerMap[]; readonly warnings: readonly string[] } {
  if (!isObject(value)) throw new UsageError(`${file} holds ${jsonKindOf(value)}, not {"mcpServers": {…}}`);
  const maps = places.flatMap((path) => {
    const found = path.reduce<unknown>(
      (at, key) => (isObject(at) && Object.hasOwn(at, key) ? at[key] : undefined),
      value,
    );
    if (found === undefined || found === null) return [];
    // Another program may keep what it likes in its own part.
    if (path[0] === 'mcp') return isObject(found) && holdsEntries(found) ? [{ path, servers: found }] : [];
    if (!isObject(found)) throw new UsageError(`${file}: ${pathOf(path)} must be an object, not ${jsonKindOf(found)}`);
    return [{ path, servers: found }];
  });
  if (maps.length > 0) return { maps: wanted(maps, value['mcp']), warnings: misspelled(value, file) };
  if (holdsEntries(value)) return { maps: [{ path: [], servers: value }], warnings: [] };
  throw new UsageError(
    `${file} has no "mcpServers" (or "servers") with servers by name${misspelled(value, '').join('')}`,
  );
}

/** The servers that Gemini CLI would start. */
function wanted(maps: readonly ServerMap[], settings: unknown): readonly ServerMap[] {
  const { allowed, excluded } = isObject(settings) ? settings : {};
  const isWanted = (name: string): boolean =>
    !(Array.isArray(allowed) && !allowed.includes(name)) && !(Array.isArray(excluded) && excluded.includes(name));
  return maps.map(({ path, servers }) => ({
    path,
    servers: Object.fromEntries(Object.entries(servers).filter(([name]) => isWanted(name))),
  }));
}

/** True if every value is an object, and one of them an entry of a server. A single wrong entry must not hide the others. */
function holdsEntries(value: Readonly<Record<string, unknown>>): boolean {
  const entries = Object.values(value);
  return (
    entries.every((entry) => entry === null || isObject(entry)) &&
    entries.some((entry) => isObject(entry) && (isOff(entry) || reaching.some((key) => entry[key] !== undefined)))
  );
}

/** True for an entry that only switches off a server of another file, as in opencode. */
function isOff({ enabled, disabled }: Readonly<Record<string, unknown>>): boolean {
  return enabled === false || disabled === true;
}

function misspelled(value: Readonly<Record<string, unknown>>, file: string): readonly string[] {
  const known = [...new Set(places.map(([key = '']) => key))];
  return Object.keys(value).flatMap((key) => {
    const [meant] = known.includes(key) ? [] : nearest(key, ['mcpServers', 'context_servers']);
    if (meant === undefined) return [];
    const words = `${pathOf([key])} may be meant as ${JSON.stringify(meant)}`;
    return [file === '' ? `; ${words}` : `${file}: ${words}, and is ignored`];
  });
}
