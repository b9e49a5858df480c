import type { AuthorizationFields, AuthorizedAnswer } from '../../auth/authorizer.ts';
import { AuthorizationError } from '../../auth/errors.ts';
import { hiding, secretsInHeaders } from '../../auth/secrets.ts';
import { summary } from './refusal.ts';

/** A refusal as it came: what was sent, and the beginning of the body. */
interface RefusedAnswer {
  readonly answer: AuthorizedAnswer;
  readonly sent: AuthorizationFields;
  readonly text: string;
}

/**
 * The failure to mend a refusal, with what the server said of it. Who says nothing in a challenge may say it in the body, and what is
 * wanted there may be no login at all.
 */
export function unmended(error: unknown, { answer, sent, text }: RefusedAnswer): unknown {
  if (!(error instanceof AuthorizationError) || answer.header('www-authenticate') !== undefined) return error;
  const said = summary(hiding(secretsInHeaders({ ...sent }))(text));
  if (said === '' || error.message.includes(said)) return error;
  const { reason, message, issuer, resource, scopes, status, code } = error;
  const options = { cause: error, issuer, resource, scopes, status, code };
  return new AuthorizationError(reason, `${message}; the server said: ${said}`, options);
}
