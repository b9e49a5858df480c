/** The severity of a log message. */

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

/** Tells whether a message is at least as severe as the least that is wanted; where none is wanted, nothing is. */
export function isWanted(level: LoggingLevel, least: LoggingLevel | undefined): boolean {
  return least !== undefined && loggingLevels.indexOf(level) >= loggingLevels.indexOf(least);
}
