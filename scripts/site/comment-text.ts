/** Doc comments as Markdown. */

/** The text of a doc comment, with its tags as words. */
export function commentText(comment = ''): readonly string[] {
  const text = comment
    .replace(/^\/\*\*/, '')
    .replace(/\*\/\s*$/, '')
    .replaceAll(/^[ \t]*\* ?/gm, '')
    .trim();
  if (text === '' || text.startsWith('Constructs a new instance')) return [];
  return [...withTags(text).split('\n'), ''];
}

function withTags(text: string): string {
  return text
    .replaceAll(
      /\{@link ([^}|]+?)(?:\s*\|\s*([^}]+))?\}/g,
      (_, target: string, title?: string) => title ?? `\`${target}\``,
    )
    .replaceAll(/^@param (\w+) - /gm, '- `$1`: ')
    .replaceAll(/^@returns\s+/gm, '\n**Returns** ')
    .replaceAll(/^@throws\s+/gm, '\n**Throws** ')
    .replaceAll(/^@deprecated\s+/gm, '\n**Deprecated.** ')
    .replaceAll(/^@(?:remarks|public)\s*$/gm, '')
    .replaceAll(
      /^@example\s*\n+([^]+?)(?=\n@|$(?![^]))/gm,
      (_, code: string) => `Example:\n\n${fenced(code.trim())}\n`,
    );
}

function fenced(code: string): string {
  return code.startsWith('```') ? code : `\`\`\`ts\n${code}\n\`\`\``;
}
