import type { Outcome, Result } from './race.ts';

/** A case for a person: each contender's cost as a ratio to the limit, with its spread. */
export function tableOf({ of, results, dropouts }: Outcome): string {
  const figures = [...new Set(results.flatMap(({ more }) => Object.keys(more)))];
  const head = ['', of.unit, '÷ limit', 'least–most', ...figures];
  const rows = results.map((result) => rowOf(result, figures));
  const widths = head.map((text, at) => Math.max(text.length, ...rows.map((row) => row[at]?.length ?? 0)));
  const line = (row: readonly string[]): string =>
    row.map((text, at) => (at === 0 ? text.padEnd(widths[at] ?? 0) : text.padStart(widths[at] ?? 0))).join('  ');
  const lost = dropouts.map(({ name, why }) => `  ${name} did not finish: ${why}`);
  return [
    `${of.id}: ${of.title} (target: ${of.target})`,
    ...[head, ...rows].map((row) => `  ${line(row)}`),
    ...lost,
  ].join('\n');
}

function rowOf({ name, cost, ratio, more }: Result, figures: readonly string[]): string[] {
  const [middle, least, most] = ratio;
  return [
    name,
    shown(cost),
    middle.toFixed(2),
    `${least.toFixed(2)}–${most.toFixed(2)}`,
    ...figures.map((figure) => shown(more[figure] ?? Number.NaN)),
  ];
}

function shown(number: number): string {
  if (Number.isNaN(number)) return '–';
  return Math.abs(number) >= 1000 ? Math.round(number).toLocaleString('en') : number.toPrecision(3);
}
