/** The imports in a built file, whose statements have no space that they do not need. */

/** The files that a built file loads at its start, as it names them. */
export function importedBy(text: string): readonly string[] {
  return [...text.matchAll(/\b(?:from|import) ?"([^"]+)"/g)].map(([, name = '']) => name);
}

/** The files that a built file loads later, as it names them. */
export function laterImportedBy(text: string): readonly string[] {
  return [...text.matchAll(/\bimport\("([^"]+)"\)/g)].map(([, name = '']) => name);
}
