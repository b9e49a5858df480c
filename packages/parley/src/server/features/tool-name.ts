const advised = /^[A-Za-z0-9_.-]{1,128}$/;

/**
 * Objection that clients may have to the name of a tool, in one sentence, or `undefined`. (Spec 2025-11-25, Tools, Tool
 * names.)
 */
export function toolNameProblem(name: string): string | undefined {
  if (advised.test(name)) return undefined;
  const shown = JSON.stringify(name.length > 140 ? `${name.slice(0, 140)}…` : name);
  return `the tool name ${shown} is not 1 to 128 letters, digits, underscores, hyphens and dots; some clients will not take it`;
}
