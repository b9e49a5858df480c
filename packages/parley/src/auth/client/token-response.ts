/** Reads an answer of a token endpoint: lenient about the form, strict about used fields. (RFC 6749, section 5.) */

import { hasFields } from '../common/fields.ts';
import { jsonOf, type WholeResponse } from '../common/document.ts';
import { AuthorizationError, type AuthorizationReason } from '../common/errors.ts';
import { harmlessAnswer } from '../common/secrets.ts';
import { scopesOf } from '../common/scopes.ts';
import { isTransientStatus } from '../../jsonrpc/transient.ts';

/** Tokens that were given out. */
export interface TokenAnswer {
  readonly accessToken: string;
  /** The type of the access token, in lower case. */
  readonly tokenType: string;
  /** Lifetime of the access token, in seconds; `undefined` if unknown. */
  readonly expiresIn: number | undefined;
  readonly refreshToken: string | undefined;
  /** The scopes that were granted; `undefined` where they are those that were asked for. */
  readonly scopes: readonly string[] | undefined;
  readonly idToken: string | undefined;
}

/**
 * The longest accepted lifetime, in seconds: a century. A grant with a date beyond the range of dates could not be read
 * again.
 */
const maxLife = 3_155_760_000;

/** The meaning of error codes. (RFC 6749, section 5.2; RFC 8707, section 2; RFC 9449, section 5.) */
const reasons: Readonly<Record<string, readonly [AuthorizationReason, string | undefined]>> = {
  invalid_client: ['invalid-client', 'it does not know the client, or not by these credentials'],
  unauthorized_client: ['invalid-client', 'the client may not do this; its registration has to allow the grant type'],
  invalid_grant: ['grant-lost', 'the grant is no longer valid'],
  invalid_scope: ['insufficient-scope', 'it does not grant these scopes'],
  invalid_target: ['resource-mismatch', undefined],
  access_denied: ['denied', 'it was denied'],
  invalid_dpop_proof: ['server-error', 'it does not take the proof of the key; the clock of this machine may be wrong'],
};

/**
 * Reads the answer to a token request.
 *
 * @throws AuthorizationError with the `code` of the answer if it has one; `server-error` if a retry may help,
 * `invalid-response` if it is not a token answer.
 */
export function readTokenAnswer(answer: WholeResponse, issuer: string): TokenAnswer {
  const fields = fieldsOf(answer, issuer, 'the token request');
  const accessToken = textIn(fields['access_token']);
  const tokenType = textIn(fields['token_type'])?.toLowerCase();
  if (accessToken === undefined || tokenType === undefined)
    throw invalid(
      issuer,
      `the answer to the token request has no ${accessToken === undefined ? 'access_token' : 'token_type'}`,
    );
  // A header could not carry it.
  if (!/^[\x21-\x7e]+$/.test(accessToken))
    throw invalid(issuer, 'the access token has characters that no header may have');
  const expiresIn = Number(textIn(fields['expires_in']) ?? Number.NaN);
  const scope = textIn(fields['scope']) ?? fields['scope'];
  return {
    accessToken,
    tokenType,
    expiresIn: Number.isFinite(expiresIn) && expiresIn >= 0 ? Math.min(expiresIn, maxLife) : undefined,
    refreshToken: textIn(fields['refresh_token']),
    scopes: typeof scope === 'string' || Array.isArray(scope) ? scopesOf(scope) : undefined,
    idToken: textIn(fields['id_token']),
  };
}

/**
 * The fields of a successful answer.
 *
 * @param asked Name of the request, for the error.
 * @throws AuthorizationError for any other answer.
 */
export function fieldsOf(answer: WholeResponse, issuer: string, asked: string): Readonly<Record<string, unknown>> {
  const { status } = answer;
  const value = jsonOf(answer.text);
  const fields = hasFields(value) ? value : undefined;
  const code = textIn(fields?.['error']);
  if (code !== undefined) throw refused(fields ?? {}, { code, answer, issuer, asked });
  if (isTransientStatus(status))
    throw new AuthorizationError(
      'server-error',
      `${issuer} cannot answer ${asked} now: HTTP ${status}; try again later`,
      {
        issuer,
        status,
      },
    );
  if (status < 200 || status > 299 || fields === undefined)
    throw invalid(issuer, `${asked} was answered with HTTP ${status} and no JSON object`, status);
  return fields;
}

function refused(
  fields: Readonly<Record<string, unknown>>,
  {
    code,
    answer: { status, sent },
    issuer,
    asked,
  }: { readonly code: string; readonly answer: WholeResponse; readonly issuer: string; readonly asked: string },
): AuthorizationError {
  const shown = harmlessAnswer(code, sent) ?? '';
  const description = harmlessAnswer(fields['error_description'], sent);
  const passing = isTransientStatus(status) || passingCodes.has(code);
  const known = Object.hasOwn(reasons, code) ? reasons[code] : undefined;
  const [reason, meant] = passing
    ? (['server-error', 'try again later'] as const)
    : (known ?? ['server-error', undefined]);
  const words = code === 'invalid_target' && !passing ? targetWords(description) : meant;
  const said = description === undefined ? '' : ` (${description})`;
  const meaning = words === undefined ? '' : `: ${words}`;
  return new AuthorizationError(reason, `${issuer} refused ${asked} with ${shown}${said}${meaning}`, {
    issuer,
    status,
    code: shown,
  });
}

/**
 * Explanation of `invalid_target`: no tokens for the resource, for any client or for this one. (RFC 8707, section 2.)
 * Leaving the parameter out helps only if the authorization server knows no resources at all, not if this client lacks
 * access.
 */
export function targetWords(description: string | undefined): string {
  return /client|permi|allow|access|link/i.test(description ?? '')
    ? 'the client may have no access to the resource; the administrator of the authorization server must allow it'
    : "it does not know the resource; if it supports no resources at all, set resourceParameter to 'omit'";
}

/** The codes of temporary errors. */
const passingCodes: ReadonlySet<string> = new Set(['temporarily_unavailable', 'server_error']);

/** True for the error of an authorization server that understood the request and refuses it. */
export function isRefusal(error: unknown): boolean {
  if (!(error instanceof AuthorizationError) || error.code === undefined || isTransientStatus(error.status ?? 0))
    return false;
  // The proof was invalid, which says nothing about the grant.
  return !passingCodes.has(error.code) && !/dpop/.test(error.code);
}

function invalid(issuer: string, words: string, status?: number): AuthorizationError {
  return new AuthorizationError('invalid-response', `${words}, from ${issuer}`, { issuer, status });
}

/** Text, or a number as text. Any other value counts as absent, also `null`. */
export function textIn(value: unknown): string | undefined {
  if (typeof value === 'number') return String(value);
  return typeof value === 'string' && value !== '' ? value : undefined;
}
