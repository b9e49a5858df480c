import { hiding, sentSecrets, type SecretRequest } from '../../../parley/src/auth/common/secrets.ts';

/** The most secrets that are remembered; the oldest make way. */
const most = 64;

/** Secrets that this process sent, the latest at the end. */
const sent = new Set<string>();

/** Remembers the secrets of a request, since the receiver may repeat them in an error. */
export function noteSecrets(request: SecretRequest): void {
  for (const secret of sentSecrets(request)) remember(secret);
}

function remember(secret: string): void {
  sent.delete(secret);
  sent.add(secret);
  const [oldest] = sent;
  if (sent.size > most && oldest !== undefined) sent.delete(oldest);
}

/** A received text without the secrets that were sent. */
export function withoutSent(text: string): string {
  return hiding([...sent])(text);
}
