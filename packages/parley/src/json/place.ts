/** Writes the place of a member, such as `.inputSchema.properties.days`, `.list[2]` or `._meta["a.b"]`: no two places are written alike. */
export function placeIn(path: string, member: string | number): string {
  if (typeof member === 'number') return `${path}[${member}]`;
  return /^[^.[\]"\s]+$/.test(member) ? `${path}.${member}` : `${path}[${JSON.stringify(member)}]`;
}
