/** How much a log message matters. */

import { literal, type Row } from './shape.ts';

/** The severity of a log message, as RFC 5424 names them. */
export type LoggingLevel = 'debug' | 'info' | 'notice' | 'warning' | 'error' | 'critical' | 'alert' | 'emergency';

/** Every level, the least severe first. */
export const loggingLevels: readonly LoggingLevel[] = [
  'debug',
  'info',
  'notice',
  'warning',
  'error',
  'critical',
  'alert',
  'emergency',
];

export const loggingLevel: Row<LoggingLevel, 'required'> = literal(...loggingLevels);
