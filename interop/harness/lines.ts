import type { Readable } from 'node:stream';

/**
 * Hears the lines of a stream, without their ends, and at last what stands after the last end. Only line feeds end lines:
 * JSON may hold U+2028, which `node:readline` takes for an end.
 */
export function onLine(stream: Readable, hear: (line: string) => void): void {
  let begun = '';
  stream.on('data', (bytes: Buffer) => {
    // A character of several bytes has no byte that is a line feed.
    const lines = (begun + bytes.toString('latin1')).split('\n');
    begun = lines.pop() ?? '';
    for (const line of lines) hear(decoded(line));
  });
  stream.once('end', () => {
    if (begun !== '') hear(decoded(begun));
  });
}

function decoded(latin1: string): string {
  return Buffer.from(latin1, 'latin1').toString('utf8').replace(/\r$/, '');
}
