/** Edits of one value in a text of JSON: every byte that is not of that value stays as it is. */

import { readJson, type JsonMember, type JsonNode } from './json-text.ts';

/** The way to a value: names of members and places in lists, from the outside in. */
export type Path = readonly (string | number)[];

/** The JSON pointer of a path. */
export function pointerOf(path: Path): string {
  return path.map((step) => `/${String(step).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
}

/** The steps of a JSON pointer, all as text. */
export function pointerSteps(pointer: string): readonly string[] {
  if (!pointer.startsWith('/')) return [];
  const steps = pointer.slice(1).split('/');
  return steps.map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'));
}

/** The value at one step into a value; of members with one name the last. */
export function childOf(node: JsonNode | undefined, step: string | number): JsonNode | undefined {
  if (typeof step === 'number') return node?.items[step];
  return memberOf(node, step)?.value;
}

/** The value at a path, if there is one. */
export function nodeAt(root: JsonNode | undefined, path: Path): JsonNode | undefined {
  let node = root;
  for (const step of path) node = childOf(node, step);
  return node;
}

/**
 * Writes a value, itself JSON, at a path. Missing parents are created. A parent that cannot hold the next step is
 * replaced, and a short list is filled with nulls. Invalid JSON is not changed.
 */
export function put(text: string, path: Path, value: string): string {
  const reading = readJson(text);
  if (reading.fault !== undefined) return text;
  if (reading.root === undefined) return nested(path, value, '');
  let node = reading.root;
  for (const [index, step] of path.entries()) {
    const rest = path.slice(index + 1);
    if (node.kind !== (typeof step === 'number' ? 'array' : 'object'))
      return replaced(text, node, nested(path.slice(index), value, indentAt(text, node.start)));
    const child = childOf(node, step);
    if (child === undefined) return added(text, node, { step, rest, value });
    node = child;
  }
  return replaced(text, node, value);
}

/** Leaves a value out: a member with its name, or an item, whose followers move up. At the root, nothing is left. */
export function remove(text: string, path: Path): string {
  const reading = readJson(text);
  if (reading.fault !== undefined) return text;
  const last = path.at(-1);
  if (last === undefined) return '';
  const parent = nodeAt(reading.root, path.slice(0, -1));
  if (parent === undefined) return text;
  if (typeof last === 'number') return parent.kind === 'array' ? without(text, parent, last) : text;
  const index = parent.members.findIndex(({ name }) => name === last);
  // A name may be there twice: then the other one would take its place.
  return index === -1 ? text : remove(without(text, parent, index), path);
}

/** Exchanges two items of the list at a path. */
export function swapItems(text: string, path: Path, [one, other]: readonly [number, number]): string {
  const reading = readJson(text);
  if (reading.fault !== undefined) return text;
  const list = nodeAt(reading.root, path);
  const first = list?.items[Math.min(one, other)];
  const second = list?.items[Math.max(one, other)];
  if (first === undefined || second === undefined || first === second) return text;
  const part = (from: number, to: number): string => text.slice(from, to);
  return (
    part(0, first.start) +
    part(second.start, second.end) +
    part(first.end, second.start) +
    part(first.start, first.end) +
    part(second.end, text.length)
  );
}

/** Gives the member at a path another name, at its place. */
export function rename(text: string, path: Path, name: string): string {
  const reading = readJson(text);
  const last = path.at(-1);
  if (reading.fault !== undefined || typeof last !== 'string') return text;
  const member = memberOf(nodeAt(reading.root, path.slice(0, -1)), last);
  if (member === undefined) return text;
  return text.slice(0, member.start) + JSON.stringify(name) + text.slice(member.nameEnd);
}

function memberOf(node: JsonNode | undefined, name: string): JsonMember | undefined {
  return node?.members.findLast((member) => member.name === name);
}

function replaced(text: string, { start, end }: { readonly start: number; readonly end: number }, by: string): string {
  return text.slice(0, start) + by + text.slice(end);
}

function without(text: string, parent: JsonNode, index: number): string {
  const parts = partsOf(parent);
  const part = parts[index];
  if (part === undefined) return text;
  const next = parts[index + 1];
  const before = parts[index - 1];
  if (next !== undefined) return replaced(text, { start: part.start, end: next.start }, '');
  if (before !== undefined) return replaced(text, { start: before.end, end: part.end }, '');
  return replaced(text, parent, parent.kind === 'object' ? '{}' : '[]');
}

function partsOf(parent: JsonNode): readonly { readonly start: number; readonly end: number }[] {
  if (parent.kind === 'array') return parent.items;
  return parent.members.map(({ start, value }) => ({ start, end: value.end }));
}

interface Addition {
  readonly step: string | number;
  readonly rest: Path;
  readonly value: string;
}

/** A container with one more part at its end, written like those before it. */
function added(text: string, parent: JsonNode, { step, rest, value }: Addition): string {
  const parts = partsOf(parent);
  const first = parts[0];
  const last = parts.at(-1);
  const indent = indentAt(text, parent.start);
  if (first === undefined || last === undefined) return replaced(text, parent, nested([step, ...rest], value, indent));
  const gap = text.slice(parent.start + 1, first.start);
  const open = gap.includes('\n');
  const spaced = open || !/^[^\s]*$/.test(text.slice(first.start, parent.end));
  const inner = open ? gap.slice(gap.lastIndexOf('\n') + 1) : indent;
  const name = typeof step === 'string' ? `${JSON.stringify(step)}:${spaced ? ' ' : ''}` : '';
  const missing = typeof step === 'number' ? Array.from({ length: step - parts.length }, () => 'null') : [];
  const whole = [...missing, name + nested(rest, value, inner)];
  const separator = open ? `,${gap}` : spaced ? ', ' : ',';
  return replaced(text, { start: last.end, end: last.end }, whole.map((part) => separator + part).join(''));
}

/** A value within the containers that lead to it. */
function nested(path: Path, value: string, indent: string): string {
  const opening: string[] = [];
  const closing: string[] = [];
  let inner = indent;
  for (const step of path) {
    const outer = inner;
    inner += '  ';
    const nulls = typeof step === 'number' ? `null,\n${inner}`.repeat(step) : `${JSON.stringify(step)}: `;
    opening.push(`${typeof step === 'number' ? '[' : '{'}\n${inner}${nulls}`);
    closing.unshift(`\n${outer}${typeof step === 'number' ? ']' : '}'}`);
  }
  return opening.join('') + value + closing.join('');
}

function indentAt(text: string, at: number): string {
  const begin = text.lastIndexOf('\n', at - 1) + 1;
  return /^[ \t]*/.exec(text.slice(begin, at))?.[0] ?? '';
}
