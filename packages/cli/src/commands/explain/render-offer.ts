import type { OwnMethod } from '../../../../parley/src/protocol/extension.ts';
import type { Listed, Offer } from '../../compatibility/offer.ts';
import { clipped, table, wrapped } from './text.ts';
import { promptRow, resourceRow, templateRow, toolRow } from '../call/render-catalogue.ts';

/** Number of rows of a list that are shown. */
const maxRows = 20;

/** Writes what a server offers. */
export function renderOffer(offer: Offer, width: number): string {
  const { tools, resources, resourceTemplates, prompts, methods } = offer;
  const parts = [
    `offer, at ${offer.revision}\n${table(factsOf(offer, width), width)}`,
    section('tools', tools, { row: toolRow, width }),
    section('resources', resources, { row: resourceRow, width }),
    section('resource templates', resourceTemplates, { row: templateRow, width }),
    section('prompts', prompts, { row: promptRow, width }),
    section('methods', methods && { items: methods, more: false }, { row: methodRow, width }),
  ];
  return parts.filter((part) => part !== '').join('\n');
}

function factsOf(
  { server, instructions, capabilities, undeclared = [] }: Offer,
  width: number,
): readonly (readonly string[])[] {
  const name = server === undefined ? [] : [['name', nameOf(server)]];
  const lines = instructions === undefined ? [] : wrapped(clipped(instructions.trim(), 2 * width), width);
  const said = lines.length === 0 ? [] : [['instructions', lines.join(' ')]];
  const can = Object.entries(capabilities).map(([key, value]) => clipped(`${key}${detail(value)}`, 200));
  const more = undeclared.length === 0 ? [] : [['not declared', `${undeclared.join(', ')}: served all the same`]];
  return [...name, ...said, ['capabilities', can.length === 0 ? 'none' : can.join(', ')], ...more];
}

function methodRow({ name, extension }: OwnMethod): readonly [string, string] {
  return [name, extension === undefined ? '' : `of the extension ${extension}`];
}

function nameOf({ name, title, version }: NonNullable<Offer['server']>): string {
  return clipped(`${name} ${version}${title === undefined || title === name ? '' : `, ${title}`}`, 200);
}

/** The keys below a capability that are not plainly off. */
function detail(value: unknown): string {
  if (typeof value !== 'object' || value === null) return '';
  const keys = Object.entries(value).flatMap(([key, on]) => (on === false ? [] : [key]));
  return keys.length === 0 ? '' : ` (${keys.join(', ')})`;
}

interface Look<Item> {
  row(item: Item): readonly [string, string];
  readonly width: number;
}

function section<Item>(title: string, list: Listed<Item> | undefined, { row, width }: Look<Item>): string {
  if (list === undefined) return '';
  const { items, more, error, malformed = [] } = list;
  const rows: (readonly string[])[] = items.slice(0, maxRows).map((item) => {
    const [left, right] = row(item);
    return [clipped(left, 2 * width), clipped(right, 2 * width)];
  });
  const rest = items.length - maxRows;
  if (rest > 0) rows.push([`… and ${rest}${more ? ' or more' : ''} others`]);
  for (const one of malformed) rows.push([clipped(`malformed, left out: ${one}`, 4 * width)]);
  if (error !== undefined) rows.push([`${items.length === 0 ? 'no list' : 'it broke off'}: ${error}`]);
  return `${title} (${items.length}${more ? '+' : ''})\n${table(rows, width)}`;
}
