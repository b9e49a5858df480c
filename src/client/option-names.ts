import type { Names } from '../protocol/known-names.ts';
import { shown } from '../protocol/shown.ts';
import type { ConnectOptions } from './options.ts';

/** The names of what `connect` takes, beside those of the transport. */
export const optionNames: Names<ConnectOptions> = {
  info: 1,
  capabilities: 1,
  advertise: 1,
  maxRounds: 1,
  revisions: 1,
  prior: 1,
  probeTimeoutMs: 1,
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
  onSessionLost: 1,
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
  onProgress: 1,
  onNotification: 1,
  onElicitationComplete: 1,
  onWarning: 1,
  onClose: 1,
  onReconnect: 1,
  now: 1,
};

/** @throws TypeError for a handler that is no function. */
export function checkHandlers(options: ConnectOptions): void {
  for (const [name, value] of Object.entries(options))
    if (/^on(?!SessionLost)/.test(name) && value !== undefined && typeof value !== 'function')
      throw new TypeError(`${name} must be a function, not ${shown(value)}`);
}
