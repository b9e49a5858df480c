/** JSON laid out to be read, with every value as it is spelled. */

import { readJson } from './json-text.ts';

/** Depth beyond which lines are not indented further: a deep text would grow with the square of its depth. */
const deepest = 60;

const token = /[{}[\],:]|[^\s{}[\],:"]+/y;
const blank = /\s*/y;

/** Formats JSON, one value a line, with two spaces for each level. Invalid JSON is not changed. */
export function formatted(text: string): string {
  if (readJson(text).root === undefined) return text;
  const parts: string[] = [];
  let depth = 0;
  let at = 0;
  const line = (): string => `\n${'  '.repeat(Math.min(depth, deepest))}`;
  let opened = false;
  for (;;) {
    blank.lastIndex = at;
    at += blank.exec(text)?.[0].length ?? 0;
    if (at >= text.length) return parts.join('');
    const part = tokenAt(text, at);
    at += part.length;
    const closes = part === '}' || part === ']';
    if (closes) depth -= 1;
    if (closes !== opened) parts.push(opened || closes ? line() : '');
    opened = part === '{' || part === '[';
    if (opened) depth += 1;
    parts.push(part === ':' ? ': ' : part === ',' ? `,${line()}` : part);
  }
}

/** The token that begins at a place: a string, a sign, or a word. */
function tokenAt(text: string, at: number): string {
  if (text[at] !== '"') {
    token.lastIndex = at;
    return token.exec(text)?.[0] ?? text.slice(at);
  }
  let end = text.indexOf('"', at + 1);
  while (escaped(text, end)) end = text.indexOf('"', end + 1);
  return text.slice(at, end + 1);
}

/** Says whether a quote is part of its string. */
function escaped(text: string, at: number): boolean {
  let slashes = 0;
  while (text[at - 1 - slashes] === '\\') slashes += 1;
  return slashes % 2 === 1;
}

/** The line of a place in a text, from 1. */
export function lineAt(text: string, at: number): number {
  let line = 1;
  for (let next = text.indexOf('\n'); next !== -1 && next < at; next = text.indexOf('\n', next + 1)) line += 1;
  return line;
}

/** Indentation of a new line, after what stands before it: that of the line before, and more within a container. */
export function indentAfter(before: string): string {
  const line = before.slice(before.lastIndexOf('\n') + 1);
  const indent = /^[ \t]*/.exec(line)?.[0] ?? '';
  return /[{[]\s*$/.test(line.slice(-100)) ? `${indent}  ` : indent;
}
