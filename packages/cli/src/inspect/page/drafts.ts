/** Arguments that were typed, by server and tool, so that nothing is lost when another is chosen. */
export const drafts: Map<string, string> = new Map();
