/** A third party that is as GitHub is: no metadata, scopes with commas, tokens without an end, errors with the status 200. */

import { createHash } from 'node:crypto';
import { createServer } from 'node:http';
import type { TestContext } from 'node:test';
import { text } from 'node:stream/consumers';
import { originOf } from './listening.ts';

/** A third party that runs. */
export interface LikeGitHub {
  readonly origin: string;
  /** The token that it gave last; nobody but the server may see it. */
  readonly tokens: string[];
  /** The secret that it wants of the client. */
  readonly secret: string;
}

/** Starts it; it ends with the test. */
export async function likeGitHub(t: Pick<TestContext, 'after'>, secret = 'the-secret'): Promise<LikeGitHub> {
  const codes = new Map<string, { readonly challenge: string; readonly scope: string }>();
  const tokens: string[] = [];
  const http = createServer(async (request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://github');
    const json = (value: object, status = 200): void => {
      response.writeHead(status, { 'content-type': 'application/json; charset=utf-8' }).end(JSON.stringify(value));
    };
    if (pathname === '/login/oauth/authorize') {
      const code = `code-${codes.size}`;
      codes.set(code, {
        challenge: searchParams.get('code_challenge') ?? '',
        scope: (searchParams.get('scope') ?? '').replaceAll(' ', ','),
      });
      const back = new URL(searchParams.get('redirect_uri') ?? '');
      back.search = new URLSearchParams({ code, state: searchParams.get('state') ?? '' }).toString();
      response.writeHead(302, { location: back.href }).end();
    } else if (pathname === '/login/oauth/access_token') {
      const form = new URLSearchParams(await text(request));
      const basic = atob(request.headers.authorization?.slice('Basic '.length) ?? '').split(':')[1];
      const challenge = createHash('sha256')
        .update(form.get('code_verifier') ?? '')
        .digest('base64url');
      const grant = codes.get(form.get('code') ?? '');
      codes.delete(form.get('code') ?? '');
      if (form.get('client_secret') !== secret && basic !== secret)
        return json({ error: 'incorrect_client_credentials', error_description: 'The client_id is not right.' });
      if (grant?.challenge !== challenge) return json({ error: 'bad_verification_code' });
      tokens.push(`gho_${tokens.length}_of_the_tests`);
      json({ access_token: tokens.at(-1), scope: grant.scope, token_type: 'bearer' });
    } else if (pathname === '/user') {
      const isKnown = tokens.some((token) => request.headers.authorization === `Bearer ${token}`);
      json(isKnown ? { login: 'octo-ann' } : { message: 'Bad credentials' }, isKnown ? 200 : 401);
    } else response.writeHead(404).end();
  });
  return { origin: await originOf(t, http), tokens, secret };
}
