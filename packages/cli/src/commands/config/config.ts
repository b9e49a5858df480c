import { open } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { UsageError } from '../io.ts';
import { ConfigProblem, variablesFor } from './expand.ts';
import { faultIn } from './json-fault.ts';
import { parseJsonc, plainJson } from './jsonc.ts';
import { ConfigKeys, pathOf } from './read.ts';
import {
  cures,
  meantBy,
  meantInOauth,
  serverEntry,
  spellings,
  type ConfigIo,
  type ConfiguredServer,
} from './server-entry.ts';
import { serverMaps } from './server-map.ts';

import { isObject } from '../../../../parley/src/jsonrpc/message.ts';
/** The servers that a file names. */
export interface Config {
  readonly upstreams: Readonly<Record<string, ConfiguredServer>>;
  /** Mistakes of the file, each with its place, one entry a line. */
  readonly problems: readonly string[];
  /** Parts of the file that are ignored. */
  readonly warnings: readonly string[];
}

/** Size limit of a file of servers. */
const mostBytes = 1024 * 1024;

/**
 * Reads a host's configuration file: `{ "mcpServers": { … } }`, or `{ "servers": { … } }`.
 *
 * @throws UsageError if the file cannot be read or is not such a file; invalid entries are in `problems`.
 */
export async function readConfig(file: string, io: ConfigIo, inspects = false): Promise<Config> {
  return configOf(parsedJson(await textOf(file), file), { file, io, inspects });
}

/** Source of a configuration. */
interface Source {
  readonly file: string;
  readonly io: ConfigIo;
  /** True where what the official Inspector keeps in a file counts. */
  readonly inspects?: boolean;
}

/**
 * The servers of a configuration.
 *
 * @throws UsageError when it has no servers.
 */
export function configOf(value: unknown, { file, io, inspects = false }: Source): Config {
  const { maps, warnings: misspelled } = serverMaps(value, file);
  const warnings = [...misspelled];
  const problems: string[] = [];
  const upstreams: [string, ConfiguredServer][] = [];
  const folder = dirname(resolve(file));
  const variables = variablesFor(folder, io.env);
  const ignored = (unread: readonly string[], within: readonly string[], meant: typeof meantBy): void => {
    for (const key of unread) {
      const why = cures.get(key) ?? `it means nothing here${meant([key])}`;
      warnings.push(`${file}: ${pathOf([...within, key])} is ignored: ${why}`);
    }
  };
  for (const { path: top, servers } of maps)
    for (const [name, entry] of Object.entries(servers)) {
      if (entry === null) continue;
      const path = [...top, name];
      try {
        const keys = new ConfigKeys(flat(entry), path, variables, spellings);
        const unread = (within: readonly string[], oauth: readonly string[]): void =>
          ignored(oauth, within, meantInOauth);
        const server = serverEntry(keys, { name, io, variables, folder, inspects, unread });
        if (server === undefined) continue;
        if (upstreams.some(([other]) => other === name))
          throw new ConfigProblem(path, 'is there twice; keep one of them');
        upstreams.push([name, server]);
        ignored(keys.unread, path, meantBy);
      } catch (error) {
        if (!(error instanceof ConfigProblem)) throw error;
        problems.push(`${file}: ${pathOf(error.path)}: ${error.message}`);
      }
    }
  if (upstreams.length === 0 && problems.length === 0)
    throw new UsageError(`${file}: ${pathOf(maps[0]?.path ?? [])} names no server to run`);
  return { upstreams: Object.fromEntries(upstreams), problems, warnings };
}

/** An entry whose command holds its arguments, as that of opencode (a list) and of Zed (an object), in the form of the others. */
function flat(entry: unknown): unknown {
  if (!isObject(entry)) return entry;
  const { command, ...rest } = entry;
  if (Array.isArray(command)) {
    const [program, ...args] = command as readonly unknown[];
    const more: unknown = rest['args'] ?? [];
    return { ...rest, command: program, args: Array.isArray(more) ? [...args, ...more] : more };
  }
  if (!isObject(command)) return entry;
  const { path, ...held } = command;
  return { ...held, ...rest, command: path };
}

async function textOf(file: string): Promise<string> {
  const bytes = new Uint8Array(mostBytes + 1);
  let length = 0;
  try {
    const handle = await open(file);
    try {
      for (let read = 1; read > 0 && length < bytes.length; length += read)
        read = (await handle.read(bytes, length, bytes.length - length)).bytesRead;
    } finally {
      await handle.close();
    }
  } catch (cause) {
    const why = cause instanceof Error && 'code' in cause ? String(cause.code) : 'unknown failure';
    const words = why === 'ENOENT' ? 'the file does not exist' : why === 'EISDIR' ? 'it is a folder' : why;
    throw new UsageError(`cannot read ${file}: ${words}`, { cause });
  }
  if (length > mostBytes) throw new UsageError(`${file} has more than ${mostBytes} bytes`);
  return new TextDecoder().decode(bytes.subarray(0, length));
}

/** Reads JSON. An error names the position, without the surrounding text, which may hold secrets. */
function parsedJson(text: string, file: string): unknown {
  try {
    return parseJsonc(text);
  } catch {
    const [, other] = /\.(toml|ya?ml)$/i.exec(file) ?? [];
    if (other !== undefined)
      throw new UsageError(`${file} is ${other.toUpperCase()}; write its servers as JSON: {"mcpServers": {…}}`);
    const { line, column } = faultIn(plainJson(text));
    throw new UsageError(`${file} is not JSON (line ${line} column ${column})`);
  }
}
