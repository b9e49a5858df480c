import type { CacheMode } from '../cache/cache.ts';
import { refuseUnknown, type Names } from '../../options/known-names.ts';
import { refuseNoNumber, refuseOther, refuseOtherWord } from '../../options/known-values.ts';
import { shown } from '../../options/shown.ts';
import { loggingLevels } from '../../protocol/features/logging-level.ts';
import type { CompleteOptions } from '../api/client.ts';
import type { ConnectOptions } from '../api/options.ts';
import { checkHostTasks } from '../api/client-tasks-options.ts';
import type { PageOptions } from '../cache/cacheable-request.ts';
import type { StartTaskOptions, ToolCallOptions } from '../api/task-handle.ts';

/** The names of what `connect` takes, beside those of the transport. */
export const optionNames: Names<ConnectOptions> = {
  info: 1,
  capabilities: 1,
  extensions: 1,
  advertise: 1,
  tasks: 1,
  maxRounds: 1,
  revisions: 1,
  negotiated: 1,
  probeTimeoutMs: 1,
  connectTimeoutMs: 1,
  timeoutMs: 1,
  maxTotalTimeoutMs: 1,
  maxNotifications: 1,
  maxNotificationBytes: 1,
  signal: 1,
  validateOutput: 1,
  exactNumbers: 1,
  maxPages: 1,
  maxItems: 1,
  onElicit: 1,
  onElicitUrl: 1,
  onSample: 1,
  roots: 1,
  reconnect: 1,
  sessionLost: 1,
  maxReconnects: 1,
  trustToolHints: 1,
  maxReopens: 1,
  random: 1,
  cache: 1,
  cacheStore: 1,
  authContext: 1,
  cacheKey: 1,
  onLog: 1,
  onRequest: 1,
  clientTasks: 1,
  onProgress: 1,
  onNotification: 1,
  onElicitationComplete: 1,
  onWarning: 1,
  onClose: 1,
  onReconnect: 1,
  now: 1,
};

const numbers = [
  'maxRounds',
  'probeTimeoutMs',
  'connectTimeoutMs',
  'timeoutMs',
  'maxTotalTimeoutMs',
  'maxPages',
  'maxItems',
  'maxReconnects',
  'maxReopens',
] as const;

const switches = ['advertise', 'tasks', 'validateOutput', 'exactNumbers', 'reconnect', 'trustToolHints'] as const;

const cacheModes: readonly CacheMode[] = ['use', 'refresh', 'bypass'];

/** @throws TypeError for a handler that is no function, a limit that is no number, a switch that is neither true nor false. */
export function checkConnectOptions(options: ConnectOptions): void {
  for (const [name, value] of Object.entries(options))
    if (/^on(?!SessionLost)/.test(name)) refuseOther('function', name, value);
  for (const name of numbers) refuseNoNumber(name, options[name]);
  for (const name of switches) refuseOther('boolean', name, options[name]);
  refuseOtherWord('cache', cacheModes, options.cache);
  checkHostTasks(options);
}

/** The names of all request options. An option of one kind of request is accepted for all. */
const requestNames: Names<CompleteOptions & PageOptions & ToolCallOptions & StartTaskOptions> = {
  signal: 1,
  timeoutMs: 1,
  maxTotalTimeoutMs: 1,
  onProgress: 1,
  progressToken: 1,
  logLevel: 1,
  meta: 1,
  headers: 1,
  clientInfo: 1,
  capabilities: 1,
  onSent: 1,
  onGivenUp: 1,
  onLateAnswer: 1,
  resultTypes: 1,
  caller: 1,
  cache: 1,
  repeat: 1,
  context: 1,
  stamp: 1,
  task: 1,
  onGiveUp: 1,
  ttlMs: 1,
  passed: 1,
  finish: 1,
};

/** @throws TypeError for unknown request options, and for values without a meaning. */
export function checkRequest(options: PageOptions & ToolCallOptions): void {
  refuseUnknown('a request', options, requestNames);
  refuseOtherWord('cache', cacheModes, options.cache);
  refuseOtherWord('onGiveUp', ['cancel', 'leave'], options.onGiveUp);
  const { resultTypes } = options;
  const isList = Array.isArray(resultTypes) && resultTypes.every((one) => typeof one === 'string');
  if (resultTypes !== undefined && resultTypes !== 'any' && !isList)
    throw new TypeError(`resultTypes must be a list of strings or "any", not ${shown(resultTypes)}`);
}

/** @throws TypeError for an unknown level. */
export function checkLevel(level: unknown): void {
  if (level !== undefined && !loggingLevels.some((known) => known === level))
    throw new TypeError(`a log level is one of ${loggingLevels.join(', ')}, not ${shown(level)}`);
}
