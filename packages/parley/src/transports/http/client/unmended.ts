import type { AuthorizationFields, AuthorizedAnswer } from '../../../auth/common/authorizer.ts';
import { AuthorizationError } from '../../../auth/common/errors.ts';
import { hiding, secretsOfRequest } from '../../../auth/common/secrets.ts';
import { ConnectionError } from '../../../jsonrpc/transport.ts';
import { descriptionIn, summary } from './refusal.ts';
import { describeUrl } from './described-url.ts';

/** A refusal: the URL, the sent headers, and the beginning of the body. */
interface RefusedAnswer {
  readonly url: URL;
  readonly answer: AuthorizedAnswer;
  readonly sent: AuthorizationFields;
  readonly text: string;
}

/**
 * The error of a rejected request that could not be authorized, with the server's message. A server without a challenge
 * may explain itself in the body, and may want no login at all. A local failure, such as a credential store that cannot
 * be written, does not hide the answer of the server.
 */
export function unrecovered(error: unknown, { url, answer, sent, text }: RefusedAnswer): unknown {
  if (error instanceof Error && !(error instanceof AuthorizationError || error instanceof ConnectionError)) {
    const { status } = answer;
    const message = `HTTP ${status} from ${describeUrl(url)}, and the request could not be authorized: ${error.message}`;
    return new ConnectionError('unauthorized', message, { cause: error, status });
  }
  if (!(error instanceof AuthorizationError)) return error;
  const challenge = answer.header('www-authenticate');
  const hidden = hiding(secretsOfRequest(sent, url));
  const said = challenge === undefined ? summary(hidden(text)) : (descriptionIn(hidden(challenge)) ?? '');
  if (said === '' || error.message.includes(said)) return error;
  const { reason, message, issuer, resource, scopes, status, code } = error;
  const options = { cause: error, issuer, resource, scopes, status, code };
  return new AuthorizationError(reason, `${message}; the server said: ${said}`, options);
}
