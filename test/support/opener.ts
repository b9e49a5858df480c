/** A program that a page is opened with, whose person signs in, agrees, and comes back. */

import { personAt } from './oidc-provider.ts';

const [url = ''] = process.argv.slice(2);
const { searchParams } = new URL(url);
const redirectUri = searchParams.get('redirect_uri') ?? '';
const asked = {
  url,
  redirectUri,
  state: searchParams.get('state') ?? '',
  reason: 'login',
  issuer: '',
  scopes: [],
} as const;
await fetch(await personAt(redirectUri)(asked, AbortSignal.timeout(30_000)));
