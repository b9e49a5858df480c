import { isAbsolute, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Lines with which the runtimes of JavaScript, Python, Java, Go and Rust say why a program ended. */
const reason =
  /^(?:Uncaught )?((?:[A-Za-z_][\w.]{0,80})?(?:Error|Exception|Exit|Interrupt)(?: \[\w+\])?: \S.*|Exception in thread .*|panic: \S.*|thread '.*' panicked at .*)$/gm;

/** A line or a frame of JavaScript ends with its place: a line number, and in a frame a column after it. */
const numbers = /:(\d{1,9})(?::\d{1,9})?$/;
const pathStart = /^(?:file:\/\/\/|\/|[A-Z]:[\\/])/;
/** A line of a traceback of Python. */
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
  const place =
    python ??
    text
      .split('\n')
      .map(placeIn)
      .find((found) => found !== undefined);
  return place === undefined ? line : `${line} (${shortPath(place[1] ?? '')}:${place[2]})`;
}

/** Lines with which a crash begins: the place of the error, the head of a trace, or the error itself. */
const beginning = /^(?:Traceback \(most recent call last\):|node:internal\/\S+:\d+)$/;

/** The text that a program wrote before it crashed: without the trace, which begins with the place of the error. */
export function beforeCrash(stderr: string): string {
  const lines = stderr.split('\n');
  const at = lines.findIndex(
    (line) =>
      line.length <= maxLength &&
      (beginning.test(line) || placeIn(line) !== undefined || crashLine(line) !== undefined),
  );
  return at < 0
    ? stderr
    : lines
        .slice(0, at)
        .map((line) => `${line}\n`)
        .join('');
}

/** The path and the line number that a line of Node ends with, if it is a place above a source line or a frame. */
function placeIn(line: string): readonly [whole: string, path: string, at: string] | undefined {
  const isFrame = line.trimStart().startsWith('at ');
  const text = isFrame && line.endsWith(')') ? line.slice(0, -1) : line;
  const [end = '', at = ''] = numbers.exec(text) ?? [];
  const start = isFrame ? Math.max(text.lastIndexOf('('), text.indexOf('at ') + 2) + 1 : 0;
  const path = text.slice(start, text.length - end.length);
  return at !== '' && pathStart.test(path) ? [line, path, at] : undefined;
}

/** The path of an address, or the address if it names no file: a program may write anything. */
function pathOf(url: string): string {
  try {
    return fileURLToPath(url);
  } catch {
    return url;
  }
}

/** A path from the folder of this process, if that is shorter. */
function shortPath(text: string): string {
  const path = text.startsWith('file://') ? pathOf(text) : text;
  if (path.startsWith('file://')) return path;
  const short = relative(process.cwd(), path);
  return short.startsWith('..') || isAbsolute(short) ? path : short;
}
