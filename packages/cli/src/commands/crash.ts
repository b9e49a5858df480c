import { isAbsolute, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Lines with which the runtimes of JavaScript, Python, Java, Go and Rust say why a program ended. */
const reason =
  /^(?:Uncaught )?((?:[A-Za-z_][\w.]{0,80})?(?:Error|Exception|Exit|Interrupt)(?: \[\w+\])?: \S.*|Exception in thread .*|panic: \S.*|thread '.*' panicked at .*)$/gm;

/** Lines that name the place: above the source line and in frames of JavaScript, and in tracebacks of Python. */
const places = [
  /^((?:file:\/\/)?(?:\/|[A-Z]:[\\/])[^\n]{0,400}?):(\d{1,9})$/m,
  /^ {1,8}at (?:[^\n(]{0,200}[ (])?((?:file:\/\/)?(?:\/|[A-Z]:[\\/])[^\n()]{0,400}?):(\d{1,9}):\d{1,9}\)?$/m,
];
const pythonPlace = /^ *File "([^"\n]+)", line (\d+)/gm;

/** Length of the lines that are looked at, in characters. */
const maxLength = 1_000;

/**
 * The line of a crash that says why, and where: `SyntaxError: Unexpected token ';' (server.mjs:1)`.
 *
 * @param stderr The last text that a program wrote to standard error before it ended.
 * @returns `undefined` if there is no such line.
 */
export function crashLine(stderr: string): string | undefined {
  const text = stderr
    .split('\n')
    .filter(({ length }) => length <= maxLength)
    .join('\n');
  const reasons = [...text.matchAll(reason)].map(([, line = '']) => line);
  const python = [...text.matchAll(pythonPlace)].at(-1);
  // Python prints the cause of an error before it, JavaScript behind it.
  const line = python === undefined ? reasons[0] : reasons.at(-1);
  if (line === undefined) return undefined;
  const place = python ?? places.map((pattern) => pattern.exec(text)).find((found) => found !== null);
  return place === undefined ? line : `${line} (${shortPath(place[1] ?? '')}:${place[2]})`;
}

/** A path from the folder of this process, if that is shorter. */
function shortPath(text: string): string {
  const path = text.startsWith('file://') ? fileURLToPath(text) : text;
  const short = relative(process.cwd(), path);
  return short.startsWith('..') || isAbsolute(short) ? path : short;
}
