import type { Outcome, Ratio } from './race.ts';

/**
 * A case for a person: each contender's cost as a ratio to the limit, with its spread; where there are peers, Parley's as a
 * ratio to theirs; other figures with their ratio.
 */
export function tableOf({ of, results, dropouts }: Outcome): string {
  const figures = [...new Set(results.flatMap(({ more }) => Object.keys(more)))];
  const compared = results.some(({ ours }) => ours !== undefined);
  const head = ['', of.unit, '÷ limit', 'least–most', ...(compared ? ['parley ÷ it', 'least–most'] : []), ...figures];
  const limit = of.contenders.find((contender) => contender.limit)?.name;
  const base = results.find(({ name }) => name === limit)?.more ?? {};
  const rows = results.map((result) => [
    result.name,
    shown(result.cost),
    ...spread(result.ratio),
    ...(compared ? spread(result.ours) : []),
    ...figures.map((figure) => withRatio(result.more[figure] ?? Number.NaN, base[figure])),
  ]);
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

function spread(ratio: Ratio | undefined): readonly [string, string] {
  if (ratio === undefined) return ['', ''];
  const [middle, least, most] = ratio;
  return [middle.toFixed(2), `${least.toFixed(2)}–${most.toFixed(2)}`];
}

/** A figure, and how often it is that of the limit. */
function withRatio(number: number, base: number | undefined): string {
  const ratio = number / (base ?? Number.NaN);
  return Number.isFinite(ratio) ? `${shown(number)} (${ratio.toFixed(2)})` : shown(number);
}

function shown(number: number): string {
  if (Number.isNaN(number)) return '–';
  return Math.abs(number) >= 1000 ? Math.round(number).toLocaleString('en') : number.toPrecision(3);
}
