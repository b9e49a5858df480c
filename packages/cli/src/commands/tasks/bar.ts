import { printed } from '../shown.ts';

/** State of a task, as a bar shows it. */
export interface BarStanding {
  readonly tool: string;
  readonly status: string;
  readonly progress?: number | undefined;
  readonly total?: number | undefined;
  /** Words of the server. */
  readonly message?: string | undefined;
  readonly seconds?: number;
}

/** Characters of the bar itself. */
const cells = 20;

/**
 * One line that shows how a task stands, no wider than a terminal.
 *
 * @param width Columns that the line may take.
 */
export function barLine({ tool, status, progress, total, message, seconds = 0 }: BarStanding, width: number): string {
  const isMeasured = progress !== undefined && total !== undefined && total > 0;
  const share = isMeasured ? Math.min(1, Math.max(0, progress / total)) : 0;
  const full = Math.floor(share * cells);
  // Without a measure a block runs to and fro, so that the bar is seen to live.
  const at = Math.abs((seconds % (2 * cells - 2)) - (cells - 1));
  const bar = Array.from({ length: cells }, (_, cell) => ((isMeasured ? cell < full : cell === at) ? '#' : '.')).join(
    '',
  );
  const percent = isMeasured ? ` ${Math.floor(share * 100)}%` : '';
  const state = status === 'working' ? '' : ` ${status}`;
  const words = message === undefined || message === '' ? '' : ` ${message}`;
  return clippedTo(
    printed(`${clippedTo(tool, 30)} [${bar}]${percent} ${time(seconds)}${state}${words}`, 'line'),
    width,
  );
}

function time(seconds: number): string {
  const [minutes, rest] = [Math.floor(seconds / 60), seconds % 60];
  return minutes === 0 ? `${rest}s` : `${minutes}m${String(rest).padStart(2, '0')}s`;
}

/** Cuts a text to some columns; characters of East Asian scripts and pictures take two. */
function clippedTo(text: string, width: number): string {
  let columns = 0;
  let kept = '';
  for (const character of text) {
    columns += (character.codePointAt(0) ?? 0) < 0x1100 ? 1 : 2;
    if (columns > width) return kept;
    kept += character;
  }
  return kept;
}
