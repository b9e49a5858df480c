import { after, monotonicNow } from '../../../../parley/src/jsonrpc/timeout.ts';
import type { Progress } from '../../../../parley/src/connection/progress.ts';
import type { TaskUpdate } from '../../../../parley/src/client/api/task-handle.ts';
import type { Io } from '../io.ts';
import { printed } from '../shown.ts';
import { barLine, type BarStanding } from './bar.ts';

/** Place where a person sees how a task stands: a bar that is drawn again and again, or lines. */
export interface Screen {
  /** Writes lines; where there is a bar, above it. */
  readonly tell: (lines: string) => void;
  readonly progressed: (progress: Progress) => void;
  readonly updated: (update: TaskUpdate) => void;
  /** Removes the bar while the user is asked; returns a function that restores it. */
  readonly rest: () => () => void;
  /** Takes the bar away for good. */
  readonly end: () => void;
}

/** Interval at which the bar shows that time passes, in milliseconds. */
const tickMs = 1_000;

/** The screen of a command: a bar where standard error is a terminal, unless JSON is wanted, and lines elsewhere. */
export function screenFor(
  { stderr, env }: Io,
  { tool, json }: { readonly tool: string; readonly json: boolean },
): Screen {
  const isTerminal = 'isTTY' in stderr && stderr.isTTY === true && env['TERM'] !== 'dumb';
  const write = (text: string): void => void stderr.write(text);
  if (!isTerminal || json) return linesOn(write);
  // A terminal may not know how wide it is.
  const width = (): number => ('columns' in stderr && typeof stderr.columns === 'number' && stderr.columns) || 80;
  return barOn(write, { tool, width });
}

function linesOn(write: (text: string) => void): Screen {
  let last = '';
  let shownStatus = '';
  const say = (line: string): void => {
    const text = `${printed(line, 'line')}\n`;
    if (text !== last) write(text);
    last = text;
  };
  const progressed = ({ progress, total, message = '' }: Progress): void =>
    say(`progress ${progress}${total === undefined ? '' : `/${total}`} ${message}`);
  return {
    tell: write,
    progressed,
    updated: ({ status }) => {
      // What a task says of its progress is an update too.
      if (status !== shownStatus) say(`task ${status}`);
      shownStatus = status;
    },
    rest: () => () => undefined,
    end: () => undefined,
  };
}

function barOn(
  write: (text: string) => void,
  { tool, width }: { readonly tool: string; readonly width: () => number },
): Screen {
  const begun = monotonicNow();
  let standing: BarStanding = { tool, status: 'begins' };
  let isShown = true;
  let isOver = false;
  let stop = (): void => undefined;
  const clear = (): void => write('\r\u001b[K');
  const draw = (): void => {
    if (!isShown) return;
    stop();
    write(`\r${barLine({ ...standing, seconds: Math.floor((monotonicNow() - begun) / 1000) }, width() - 1)}\u001b[K`);
    stop = after(tickMs, draw);
  };
  const set = (more: Partial<BarStanding>): void => {
    standing = { ...standing, ...more };
    draw();
  };
  const hide = (): void => {
    stop();
    if (isShown) clear();
    isShown = false;
  };
  // Words without a measure leave the last one as it is.
  const progressed = ({ progress, total, message }: Progress): void =>
    set(total === undefined ? { message } : { progress, total, message });
  draw();
  return {
    tell: (lines) => {
      if (isShown) clear();
      write(lines);
      draw();
    },
    progressed,
    updated: ({ status }) => set({ status }),
    rest: () => {
      hide();
      return () => {
        // A question may be cancelled after the wait ended.
        isShown = !isOver;
        draw();
      };
    },
    end: () => {
      hide();
      isOver = true;
    },
  };
}
