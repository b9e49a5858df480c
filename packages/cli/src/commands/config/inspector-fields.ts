/** Fields of an entry that the official Inspector has of its own, as its documentation of configuration files names them. */

import { isObject } from '../../../../parley/src/jsonrpc/message.ts';
import { loggingLevels, type LoggingLevel } from '../../../../parley/src/protocol/features/logging-level.ts';
import { revisions, type RevisionDate } from '../../../../parley/src/protocol/revision.ts';
import { ConfigProblem } from './expand.ts';
import { jsonKindOf, type ConfigKeys } from './read.ts';

/** Wishes for how a server is inspected. */
export interface InspectorFields {
  readonly roots?: readonly { readonly uri: string; readonly name?: string }[];
  /** Metadata of every request. */
  readonly metadata?: Readonly<Record<string, unknown>>;
  /** Times in milliseconds; 0 is none. */
  readonly connectionTimeoutMs?: number;
  readonly requestTimeoutMs?: number;
  readonly taskTtlMs?: number;
  /** True where lists are read one page at a time. */
  readonly pagesByOne?: boolean;
  /** Level that is asked for with each request; empty for none. */
  readonly logLevel?: LoggingLevel | '';
}

/** Revisions of an era by its name in a file; `undefined` where there is none, or any will do. */
export function revisionsOfEra(keys: ConfigKeys): readonly RevisionDate[] | undefined {
  const era = keys.oneOf('protocolEra', ['legacy', 'modern', 'auto']);
  if (era === undefined || era === 'auto') return undefined;
  // In older revisions, the client describes itself once, in a handshake.
  const isOnce = era === 'legacy';
  return revisions.filter(({ clientDescribed }) => (clientDescribed === 'once') === isOnce).map(({ date }) => date);
}

/** Reads the fields. @throws ConfigProblem for an invalid one. */
export function inspectorFields(keys: ConfigKeys): InspectorFields {
  const roots = rootsOf(keys);
  const metadata = keys.value('metadata');
  if (metadata !== undefined && !isObject(metadata))
    throw new ConfigProblem(keys.at('metadata'), `must be an object, not ${jsonKindOf(metadata)}`);
  const connectionTimeoutMs = timeOf(keys, 'connectionTimeout');
  const requestTimeoutMs = timeOf(keys, 'requestTimeout');
  const taskTtlMs = timeOf(keys, 'taskTtl');
  const level = keys.oneOf('modernLogLevel', ['off', ...loggingLevels]);
  return {
    ...(roots === undefined ? {} : { roots }),
    ...(metadata === undefined ? {} : { metadata }),
    ...(connectionTimeoutMs === undefined ? {} : { connectionTimeoutMs }),
    ...(requestTimeoutMs === undefined ? {} : { requestTimeoutMs }),
    ...(taskTtlMs === undefined ? {} : { taskTtlMs }),
    ...(keys.flag('paginatedLists') ? { pagesByOne: true } : {}),
    ...(level === undefined ? {} : { logLevel: level === 'off' ? '' : level }),
  };
}

/** Longest time that is waited, in milliseconds. */
const maxMs = 2 ** 31 - 1;

/** Reads a time in milliseconds. */
export function timeOf(keys: ConfigKeys, key: string): number | undefined {
  const value = keys.value(key);
  if (value === undefined) return undefined;
  if (typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= maxMs) return value;
  throw new ConfigProblem(
    keys.at(key),
    `must be whole milliseconds from 0 to ${maxMs}, not ${typeof value === 'number' ? value : jsonKindOf(value)}`,
  );
}

function rootsOf(keys: ConfigKeys): InspectorFields['roots'] {
  const value = keys.value('roots');
  if (value === undefined) return undefined;
  if (!Array.isArray(value))
    throw new ConfigProblem(keys.at('roots'), `must be a list of roots, not ${jsonKindOf(value)}`);
  return value.map((root: unknown, at) => {
    const { uri, name } = isObject(root) ? root : {};
    if (typeof uri !== 'string' || !uri.startsWith('file://') || !URL.canParse(uri))
      throw new ConfigProblem(keys.at('roots', String(at)), 'must have a uri that begins with file://');
    return { uri, ...(typeof name === 'string' && name !== '' ? { name } : {}) };
  });
}
