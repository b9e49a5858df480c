/** Signing a person in by another device: a page and a code are shown here, and are entered there. (RFC 8628.) */

import { deviceAuthorizationRequest } from 'oauth4webapi';
import { AuthorizationError } from '../../common/errors.ts';
import type { ServerMetadata } from '../../common/metadata.ts';
import { isTransientStatus } from '../../../jsonrpc/transient.ts';
import { refuseOther } from '../../../options/known-values.ts';
import { unlessAborted } from '../../../storage/turns.ts';
import { authenticationOf } from '../shown-client.ts';
import { shownUrl } from '../discovery.ts';
import { limited, pauseFor, type Site } from '../site.ts';
import { requestTokens, send } from '../token-request.ts';
import { fieldsOf, textIn, type TokenAnswer } from '../token-response.ts';
import { endpointsOf } from '../endpoints.ts';
import { keepTokens, type LoginJob, type LoginParts, type LoginRequest } from './login-parts.ts';
import type { RegisteredClient } from './registration.ts';

/** The page and the code by which a person signs in on any device. (RFC 8628, section 3.2.) */
export interface DevicePrompt {
  /** The page to open: `https:`, or `http:` of this machine. */
  readonly verificationUri: string;
  /** The code to enter there; it has no characters that cannot be shown. */
  readonly userCode: string;
  /** The page's URL with the code in it, if the authorization server has one. */
  readonly verificationUriComplete: string | undefined;
  /** Time for which the code is valid, in seconds. */
  readonly expiresIn: number;
  /** The issuer of the authorization server. */
  readonly issuer: string;
  /** The requested scopes; empty leaves them to the authorization server. */
  readonly scopes: readonly string[];
}

/** Shows the page and the code to a user. An error that it throws ends the login. */
export type ShowDevicePrompt = (prompt: DevicePrompt) => void | Promise<void>;

/** The prompt, with the code for polling. */
interface DeviceAuthorization extends DevicePrompt {
  readonly deviceCode: string;
  /** The shortest pause between two token requests, in milliseconds. */
  readonly intervalMs: number;
}

/** RFC 8628, section 3.4. */
const grantType = 'urn:ietf:params:oauth:grant-type:device_code';

/** RFC 8628, section 3.2: the default if the server names none. */
const usualIntervalS = 5;

/** Shortest poll interval, whatever the server says; in seconds. */
const leastIntervalS = 1;

/** RFC 8628, section 3.5: the interval grows permanently by this much, in milliseconds. */
const slowerMs = 5_000;

/** The longest code that a person is asked to enter. */
const maxUserCodeLength = 100;

/** The needs of one login by another device. */
interface DeviceLogin {
  readonly site: Site;
  readonly parts: LoginParts;
  readonly wanted: LoginRequest;
  readonly show: ShowDevicePrompt;
  readonly endpoint: string;
}

/**
 * Prepares a sign-in through another device.
 *
 * @returns Asks the user, and stores the grant.
 * @throws AuthorizationError `discovery` if the authorization server has no endpoint for it.
 * @throws TypeError if the `device` option is not a function.
 */
export function deviceLogin(
  site: Site,
  parts: LoginParts,
  { show, ...wanted }: LoginRequest & { readonly show: ShowDevicePrompt },
): (job: LoginJob) => Promise<void> {
  refuseOther('function', 'device', show);
  const endpoint = requireDeviceEndpoint(wanted.discovered.server);
  return (job) => signIn({ site, parts, wanted, show, endpoint }, job);
}

function requireDeviceEndpoint({ issuer, deviceAuthorizationEndpoint }: ServerMetadata): string {
  if (deviceAuthorizationEndpoint !== undefined) return deviceAuthorizationEndpoint;
  throw new AuthorizationError(
    'discovery',
    `${shownUrl(issuer)} has no sign-in through another device (its metadata name no device_authorization_endpoint): sign in without the option device`,
    { issuer },
  );
}

/** A registration that the authorization server no longer knows is made again once. */
async function signIn(login: DeviceLogin, job: LoginJob): Promise<void> {
  const { registration, settings } = login.parts;
  const { server } = login.wanted.discovered;
  for (let again = false; ; again = true) {
    const { redirectUris } = settings.redirect;
    const client = await registration.client(server, { redirectUris, grantType }, job.signal);
    try {
      return await ask(login, client, job);
    } catch (error) {
      const isUnknown = error instanceof AuthorizationError && error.code === 'invalid_client';
      if (!isUnknown || !client.dynamic || again) throw error;
      await registration.forget(server.issuer, client.id);
    }
  }
}

async function ask(login: DeviceLogin, client: RegisteredClient, job: LoginJob): Promise<void> {
  const { site, parts, wanted, show } = login;
  const { discovered, scopes, reason } = wanted;
  const { issuer } = discovered.server;
  const { deviceCode, intervalMs, ...prompt } = await authorized(login, client, job.signal);
  // The user must not see a code that leads nowhere, or a second one.
  await job.only.require();
  job.signal.throwIfAborted();
  wanted.asked?.();
  site.tell({ kind: 'asked', issuer, reason, scopes });
  job.asking(true);
  const late = (): AuthorizationError => expired(issuer);
  try {
    const waiting = AbortSignal.any([job.signal, job.only.lost]);
    const answer = await limited({ ms: prompt.expiresIn * 1000, signal: waiting, late }, async (signal) => {
      await unlessAborted(Promise.resolve(show(prompt)), signal);
      return await polled(login, { client, deviceCode, intervalMs, signal });
    });
    const { resource } = discovered;
    const endpoints = endpointsOf(discovered.server);
    await keepTokens(site, parts, [
      answer,
      { endpoints, client, resource, requested: scopes, isStepUp: reason === 'step-up' },
    ]);
  } finally {
    job.asking(false);
  }
}

/** Asks for a code. (RFC 8628, sections 3.1 and 3.2.) */
async function authorized(
  { site, endpoint, wanted }: DeviceLogin,
  client: RegisteredClient,
  signal: AbortSignal,
): Promise<DeviceAuthorization> {
  const { discovered, scopes } = wanted;
  const { issuer } = discovered.server;
  const { options, rules } = site;
  const asked = 'the device authorization request';
  const url = rules.check(endpoint, 'the device authorization endpoint');
  const parameters = {
    ...options.parameters?.authorization,
    ...(scopes.length === 0 ? {} : { scope: scopes.join(' ') }),
    ...(options.resourceParameter === 'omit' ? {} : { resource: discovered.resource }),
  };
  const answer = await send(site, { url, asked, signal }, async (sending) => {
    const server = { issuer, device_authorization_endpoint: endpoint };
    const authentication = authenticationOf(client, issuer);
    await deviceAuthorizationRequest(server, { client_id: client.id }, authentication, parameters, sending);
  });
  const fields = fieldsOf(answer, issuer, asked);
  const text = (name: string): string => {
    const value = textIn(fields[name]);
    if (value !== undefined) return value;
    throw invalid(issuer, `has no ${name}`);
  };
  const page = (uri: string): string => rules.check(uri, `the page of ${shownUrl(issuer)} for codes`).href;
  const complete = textIn(fields['verification_uri_complete']);
  const expiresIn = Number(text('expires_in'));
  if (!(expiresIn > 0)) throw invalid(issuer, 'returned a code without a lifetime');
  return {
    deviceCode: text('device_code'),
    userCode: showable(text('user_code'), issuer),
    verificationUri: page(text('verification_uri')),
    verificationUriComplete: complete === undefined ? undefined : page(complete),
    expiresIn,
    intervalMs: 1000 * Math.max(Number(textIn(fields['interval'])) || usualIntervalS, leastIntervalS),
    issuer,
    scopes,
  };
}

/** A code that a person can read and type: no character of it acts on a terminal, is unseen, or turns others around. */
function showable(code: string, issuer: string): string {
  if (code.length <= maxUserCodeLength && !/[\p{C}\p{Zl}\p{Zp}]/u.test(code) && code.trim() === code) return code;
  throw invalid(issuer, 'returned a code that cannot be typed');
}

/** Asks for the tokens until the person decided. (RFC 8628, sections 3.4 and 3.5.) */
async function polled(
  { site, parts, wanted: { discovered, bound } }: DeviceLogin,
  {
    client,
    deviceCode,
    intervalMs,
    signal,
  }: {
    readonly client: RegisteredClient;
    readonly deviceCode: string;
    readonly intervalMs: number;
    readonly signal: AbortSignal;
  },
): Promise<TokenAnswer> {
  const { server, resource } = discovered;
  const endpoints = endpointsOf(server);
  for (let pauseMs = intervalMs; ;) {
    // oxlint-disable-next-line no-await-in-loop -- one request follows the answer to the other
    await pauseFor(pauseMs, signal);
    try {
      // oxlint-disable-next-line no-await-in-loop -- as above
      return await requestTokens(site, {
        endpoints,
        client,
        grantType,
        parameters: { device_code: deviceCode },
        resource,
        prover: bound ? parts.proverOf(server.issuer) : undefined,
        signal,
      });
    } catch (error) {
      pauseMs = longerPause(error, { pauseMs, issuer: server.issuer });
    }
  }
}

/**
 * The pause after a token request without tokens.
 *
 * @throws The error of the login, if it is over.
 */
function longerPause(
  error: unknown,
  { pauseMs, issuer }: { readonly pauseMs: number; readonly issuer: string },
): number {
  if (!(error instanceof AuthorizationError)) throw error;
  if (error.code === 'authorization_pending') return pauseMs;
  if (error.code === 'slow_down') return pauseMs + slowerMs;
  if (error.code === 'expired_token') throw expired(issuer);
  if (error.code === 'access_denied')
    throw new AuthorizationError('denied', `${shownUrl(issuer)} was not allowed to let this client in: access_denied`, {
      issuer,
      code: error.code,
    });
  // RFC 8628, section 3.5: a server that cannot answer now is asked half as often.
  if (error.reason === 'server-error' && (error.code === undefined || isTransientStatus(error.status ?? 0)))
    return pauseMs * 2;
  throw error;
}

function expired(issuer: string): AuthorizationError {
  const words = `the code of ${shownUrl(issuer)} expired before anybody entered it and agreed; sign in again`;
  return new AuthorizationError('timeout', words, { issuer });
}

function invalid(issuer: string, words: string): AuthorizationError {
  const shown = `the answer of ${shownUrl(issuer)} to the device authorization request ${words}`;
  return new AuthorizationError('invalid-response', shown, { issuer });
}
