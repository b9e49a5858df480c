/** Limit of warnings in one minute. */
export const maxWarnings = 200;

const minuteMs = 60_000;

/**
 * Limits the warnings of a client: a server may cause one with each message, and whoever hears of them may write each
 * into a file. The first one too many is replaced by a warning that says so.
 */
export function pacedWarnings(
  warn: (message: string, cause?: unknown) => void,
  clock: () => number,
): (message: string, cause?: unknown) => void {
  let began = -Infinity;
  let count = 0;
  return (message, cause) => {
    const now = clock();
    if (now - began >= minuteMs) [began, count] = [now, 0];
    count++;
    if (count <= maxWarnings) warn(message, cause);
    else if (count === maxWarnings + 1)
      warn(`further warnings of this minute are not reported: the server caused ${maxWarnings}`);
  };
}
