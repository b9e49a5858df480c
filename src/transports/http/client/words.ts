/** A URL without what may be secret in it. */
export function describeUrl(url: URL): string {
  return `${url.protocol}//${url.host}${url.pathname}`;
}

/** Text of a refusal as it may be written down: a server may repeat in it what it was sent. Nothing of it, where that cannot be looked for now. */
export async function withoutSecrets(
  text: string,
  { sent, url }: { readonly sent: Readonly<Record<string, string>>; readonly url: URL },
): Promise<string> {
  if (text === '') return text;
  // What is missing for a moment here says nothing of the server, which refused.
  const secrets = await import('../../../auth/common/secrets.ts').catch(() => undefined);
  return secrets === undefined ? '' : secrets.hiding(secrets.secretsOfRequest(sent, url))(text);
}

/** Words of a server, as far as they go in a message: nothing that moves a cursor or turns the direction of text. */
export function asSaid(said: string): string {
  return said
    .slice(0, 200)
    .replaceAll(/[\p{C}\p{Zl}\p{Zp}]+/gu, ' ')
    .trim();
}
