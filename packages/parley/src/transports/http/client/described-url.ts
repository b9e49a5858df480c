/** A URL without what may be secret in it. */
export function describeUrl(url: URL): string {
  return `${url.protocol}//${url.host}${url.pathname}`;
}

/**
 * Text of a refusal without secrets: a server may repeat the sent credentials in it. Empty if it cannot be checked now.
 */
export async function withoutSecrets(
  text: string,
  { sent, url }: { readonly sent: Readonly<Record<string, string>>; readonly url: URL },
): Promise<string> {
  if (text === '') return text;
  // A failure to load this code says nothing about the server's refusal.
  const secrets = await import('../../../auth/common/secrets.ts').catch(() => undefined);
  return secrets === undefined ? '' : secrets.hiding(secrets.secretsOfRequest(sent, url))(text);
}

/**
 * Text of a server in a form that is safe for messages: without characters that move a cursor or change the direction
 * of text.
 */
export function asSaid(said: string): string {
  return said
    .slice(0, 200)
    .replaceAll(/[\p{C}\p{Zl}\p{Zp}]+/gu, ' ')
    .trim();
}
