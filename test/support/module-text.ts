/** The text of a module as a load hook gets it. */
export function textOf(source: string | AllowSharedBufferSource | null | undefined): string {
  return typeof source === 'string' ? source : new TextDecoder().decode(source ?? undefined);
}
