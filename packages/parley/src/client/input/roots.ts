import type { Root } from '../../protocol/features/roots.ts';

/**
 * Checks roots before servers see them.
 *
 * @throws TypeError for a uri that is not a `file://` URI, or that contains path traversal.
 * (Spec 2025-11-25, Roots, Data types and Security considerations.)
 */
export function checkRoots(roots: readonly Root[]): void {
  for (const root of roots) {
    const uri: unknown = root?.uri;
    if (typeof uri !== 'string' || !uri.startsWith('file://') || !URL.canParse(uri))
      throw new TypeError(`a root must have a file:// URI, not ${JSON.stringify(uri)?.slice(0, 200)}`);
    if (traverses(uri))
      throw new TypeError(`a root must not have ".." in its path: ${JSON.stringify(uri.slice(0, 200))}`);
  }
}

/** Encoded dots and separators count: a program that decodes the path first would follow them. */
function traverses(uri: string): boolean {
  const plain = uri.replaceAll(/%2e/gi, '.').replaceAll(/%2f|%5c|\\/gi, '/');
  return /\/\.\.(?:[/?#]|$)/.test(plain);
}
