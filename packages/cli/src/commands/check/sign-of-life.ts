import { after } from '../../../../parley/src/jsonrpc/timeout.ts';
import type { Io } from '../io.ts';

/** Seconds between two words of a run that goes on. */
const everySeconds = 10;

/** Progress messages during a run, which otherwise prints nothing until its end. */
export interface SignOfLife {
  /** Counts what was sent. */
  sent(): void;
  /** Says no more. */
  over(): void;
}

/** Says every 10 seconds on standard error that a run goes on, and how much was sent. */
export function signOfLife({ stderr }: Pick<Io, 'stderr'>): SignOfLife {
  let messages = 0;
  let seconds = 0;
  let cancel = (): void => {};
  const later = (): void => {
    cancel = after(everySeconds * 1_000, () => {
      seconds += everySeconds;
      stderr.write(`parley: still judging, ${seconds} s and ${messages} message${messages === 1 ? '' : 's'} so far\n`);
      later();
    });
  };
  later();
  return {
    sent: () => void messages++,
    over: () => cancel(),
  };
}
