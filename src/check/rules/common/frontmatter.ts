/** What is certain of the frontmatter of a Markdown file without reading YAML whole. */
export interface PlainFrontmatter {
  /** Names of its fields. */
  readonly keys: ReadonlySet<string>;
  /** Fields whose values are plain text on one line, which every reader of YAML takes for the same. */
  readonly plain: ReadonlyMap<string, string>;
}

/**
 * Reads the frontmatter that a file begins with.
 *
 * @returns `undefined` where there is none, `'odd'` where its top is no list of fields that is told apart here.
 */
export function plainFrontmatter(text: string): PlainFrontmatter | 'odd' | undefined {
  const [, inner] = /^\uFEFF?---[ \t]*\r?\n([\s\S]*?)(?:^|\r?\n)---[ \t]*(?:\r?\n|$)/m.exec(text) ?? [];
  if (inner === undefined || !/^\uFEFF?---[ \t]*\r?\n/.test(text)) return undefined;
  const keys = new Set<string>();
  const plain = new Map<string, string>();
  const lines = inner.split(/\r?\n/).filter((line) => line.trim() !== '' && !line.startsWith('#'));
  for (const [at, line] of lines.entries()) {
    // What is indented belongs to the field before it, and so does a list.
    if (/^(?:\s|- |-$)/.test(line)) continue;
    const [, key, value = ''] = /^([A-Za-z][\w.-]*):(?:[ \t]+(.*))?$/.exec(line) ?? [];
    if (key === undefined) return 'odd';
    keys.add(key);
    const goesOn = /^(?:\s|- |-$)/.test(lines[at + 1] ?? '');
    if (!goesOn && isPlain(value.trim())) plain.set(key, value.trim());
  }
  return { keys, plain };
}

/** Tells whether a value has nothing of which YAML makes anything but that text. */
function isPlain(value: string): boolean {
  return /^[A-Za-z][A-Za-z0-9 ,.()/'_-]*$/.test(value) && !/^(?:true|false|yes|no|on|off|null|y|n)$/i.test(value);
}
