/** Fields of the frontmatter of a Markdown file that are certain without reading YAML whole. */
export interface PlainFrontmatter {
  /** Names of its fields. */
  readonly keys: ReadonlySet<string>;
  /** Fields whose values are plain text on one line, which every reader of YAML takes for the same. */
  readonly plain: ReadonlyMap<string, string>;
}

/**
 * Reads the frontmatter at the beginning of a file.
 *
 * @returns `undefined` if there is none, `'odd'` if its structure is not supported here.
 */
export function plainFrontmatter(text: string): PlainFrontmatter | 'odd' | undefined {
  const [first, ...others] = text.replace(/^\uFEFF/, '').split(/\r?\n/);
  const end = others.findIndex(isFence);
  if (first === undefined || !isFence(first) || end < 0) return undefined;
  const keys = new Set<string>();
  const plain = new Map<string, string>();
  const lines = others.slice(0, end).filter((line) => line.trim() !== '' && !line.startsWith('#'));
  for (const [at, line] of lines.entries()) {
    if (isInner(line)) continue;
    const colon = line.indexOf(':');
    const [key, value] = [line.slice(0, colon), line.slice(colon + 1)];
    if (colon < 0 || !/^[A-Za-z][\w.-]*$/.test(key) || (value !== '' && !/^[ \t]/.test(value))) return 'odd';
    keys.add(key);
    if (!isInner(lines[at + 1] ?? '') && isPlain(value.trim())) plain.set(key, value.trim());
  }
  return { keys, plain };
}

/** Tells the line before and after the fields. */
function isFence(line: string): boolean {
  return line.trimEnd() === '---';
}

/** Recognizes a line that belongs to the previous field: an indented one, and entries of a list. */
function isInner(line: string): boolean {
  return /^[ \t]/.test(line) || line.startsWith('- ') || line === '-';
}

/** Tells whether a value has nothing of which YAML makes anything but that text. */
function isPlain(value: string): boolean {
  return /^[A-Za-z][A-Za-z0-9 ,.()/'_-]*$/.test(value) && !/^(?:true|false|yes|no|on|off|null|y|n)$/i.test(value);
}
