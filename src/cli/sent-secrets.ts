import { hiding } from './explain/secrets.ts';

/** The most secrets that are remembered; the oldest make way. */
const most = 64;

/** Secrets that this process sent, the latest at the end. */
const sent = new Set<string>();

/** The members of a form that are secret. (RFC 6749, 7523, 7636, 8628 and 8693.) */
const secretFields = [
  'client_secret',
  'client_assertion',
  'code',
  'code_verifier',
  'refresh_token',
  'device_code',
  'assertion',
  'subject_token',
  'token',
];

/** Request, as far as its secrets stand in it. */
interface SecretRequest {
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

/**
 * Remembers the secrets of a request: the credentials of `Authorization`, and the secret fields of a form. Whoever they are sent to
 * may repeat them in an error.
 */
export function noteSecrets({ headers, body = '' }: SecretRequest): void {
  for (const [name, value] of Object.entries(headers))
    if (name.toLowerCase() === 'authorization') remember(value.replace(/^\S+\s+/, ''));
  // Messages are JSON, and have fields that are named like these.
  if (body === '' || /^\s*[{[]/.test(body)) return;
  const fields = new URLSearchParams(body);
  for (const name of secretFields) for (const value of fields.getAll(name)) remember(value);
}

function remember(secret: string): void {
  sent.delete(secret);
  sent.add(secret);
  const [oldest] = sent;
  if (sent.size > most && oldest !== undefined) sent.delete(oldest);
}

/** A text of somebody else without the secrets that were sent. */
export function withoutSent(text: string): string {
  return hiding([...sent])(text);
}
