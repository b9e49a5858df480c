import type { Try, WireEntry } from './report.ts';

/**
 * Writes what travelled, connection by connection; the texts are not broken.
 *
 * @param about What travelled to find out about authorization.
 */
export function renderWire(tries: readonly Try[], about: readonly WireEntry[] = []): string {
  const parts = tries.map(({ revision, over, ms, wire = [] }) => {
    const lines = wire.flatMap(entryLines);
    const what = lines.length === 0 ? ['    nothing travelled'] : lines;
    return `  ${revision}, a connection of its own over ${over}, ${ms} ms to the answer\n${what.join('\n')}\n`;
  });
  const authorization = about.length === 0 ? [] : [`  about authorization\n${about.flatMap(entryLines).join('\n')}\n`];
  return `wire\n${[...parts, ...authorization].join('\n')}`;
}

function entryLines({ from, http, text, problem, stderr }: WireEntry): readonly string[] {
  const arrow = from === 'client' ? '→' : '←';
  const head = http === undefined ? [] : [headOf(http)];
  const body = [text, problem === undefined ? undefined : `(no message) ${problem}`, stderr && `(stderr) ${stderr}`];
  const lines = [...head, ...body.filter((one) => one !== undefined && one !== '')].flatMap((one) =>
    `${one}`.trimEnd().split('\n'),
  );
  return lines.map((line, at) => `    ${at === 0 ? arrow : ' '} ${line}`);
}

function headOf({ method, origin = '', path, status, headers }: NonNullable<WireEntry['http']>): string {
  const first = method === undefined ? `${status}` : `${method} ${origin}${path}`;
  const fields = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  return [first, ...fields].join('  ');
}
