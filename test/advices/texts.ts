/** Finds the texts in the sources that tell a reader what to type or to set. */

import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseAst } from 'rolldown/parseAst';
import { root } from '../support/sources.ts';

/** An option of the command line, or a command of it. */
const line =
  /(?:^|[\s'(`])--(?:[a-z][a-z-]+|\$\{\})|\bparley (?:bridge|call|tasks|explain|check|inspect|login|logout|whoami|help|start|example|read|prompt|complete|watch|send)\b/;

/** An option of the library, by the words that advise one: in backticks, or in camel case or as an object after a verb. */
const option =
  /`[a-z]+(?:[A-Z]\w*)?`|\bset \w+ to '|\b(?:set|give|raise|with|a greater|a larger|add \S+ to its|the option)\s(?:the option )?(?:[a-z]+[A-Z]\w*|\w+: [{[]|client\b|servers\b|headers\b|device\b)/;

/** Names of options alone, which a program puts together. */
const name = /^--?[a-z-]+=?$/;

/** Folders whose texts are about what somebody else wrote, or are shown in tables. */
const others =
  /^packages\/(?:parley\/src\/telemetry|cli\/src\/(?:compatibility|check\/rules|check\/client|inspect\/page))\//;

interface Node {
  readonly type: string;
  readonly [key: string]: unknown;
}

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && 'type' in value;
}

function* textsOf(node: Node): Generator<string> {
  if (node.type === 'Literal' && typeof node['value'] === 'string') yield node['value'];
  if (node.type === 'TemplateLiteral') {
    // A template of the parser has its texts so.
    const parts = node['quasis'] as readonly { readonly value: { readonly cooked: string } }[];
    yield parts.map(({ value }) => value.cooked).join('${}');
  }
  for (const child of Object.values(node).flat()) if (isNode(child)) yield* textsOf(child);
}

/** Sources that print or throw texts, or show them. The help is no message. */
function sourcesOf(): readonly string[] {
  return globSync('packages/*/src/**/*.{ts,tsx}', { cwd: root }).filter(
    (file) =>
      !/\.test(-d)?\.tsx?$/.test(file) && !file.startsWith(join('packages', 'cli', 'src', 'commands', 'help', '/')),
  );
}

/** The texts of a source, each once. */
function textsIn(source: string, path: string): readonly string[] {
  // The parser returns ESTree; the walk checks what it reads.
  const tree = parseAst(source, { lang: path.endsWith('x') ? 'tsx' : 'ts' }) as unknown as Node;
  return [...new Set(textsOf(tree))];
}

/**
 * The texts of three words or more that people read: messages of errors, warnings, and lines that are printed.
 *
 * @param isWanted Whether a source is worth reading, by its text.
 */
export function messageTexts(
  isWanted: (source: string) => boolean = () => true,
): readonly (readonly [file: string, text: string])[] {
  return sourcesOf().flatMap((path) => {
    const source = readFileSync(join(root, path), 'utf8');
    if (!isWanted(source)) return [];
    return textsIn(source, path)
      .filter((text) => /(?:[A-Za-z]{2,}[ ,:;"'`]+){2}[A-Za-z]{2,}/.test(text) && !isCode(text))
      .map((text) => [path.replaceAll('\\', '/'), text] as const);
  });
}

/** SQL, scripts of Redis, styles and markup. */
function isCode(text: string): boolean {
  return /\b(?:redis\.call|SELECT|INSERT|UPDATE|CREATE TABLE|local \w+ =|font-family)\b|^\s*<\w+|\{\s*[\w-]+:[^}]*;\s*\}/.test(
    text,
  );
}

/** The texts that advise something, each with its file. The help is no message. */
export function advisingTexts(): readonly (readonly [file: string, text: string])[] {
  return sourcesOf().flatMap((path) => {
    const source = readFileSync(join(root, path), 'utf8');
    const file = path.replaceAll('\\', '/');
    const isOther = others.test(file);
    if (!/--[a-z$]|parley [a-z]/.test(source) && (isOther || !option.test(source))) return [];
    return textsIn(source, path)
      .filter((text) => !name.test(text) && (line.test(text) || (!isOther && / /.test(text) && option.test(text))))
      .map((text) => [file, text] as const);
  });
}
