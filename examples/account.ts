import { connectAccount, principalOf } from 'parley-mcp/account';
import { listen } from 'parley-mcp/node';
import { protect } from 'parley-mcp/protect';
import { createServer } from 'parley-mcp/server';

const { ISSUER: issuer = 'https://login.example.com', GITHUB: at = 'https://github.com', ...env } = process.env;
const origin = env['ORIGIN'] ?? 'https://mcp.example.com';
const api = env['GITHUB_API'] ?? 'https://api.github.com';

// The signed-in users of this site, by cookie. Use your own login instead.
const people = new Map([['the-cookie-of-ann', 'ann']]);

const github = connectAccount({
  name: 'GitHub',
  endpoints: { authorization: `${at}/login/oauth/authorize`, token: `${at}/login/oauth/access_token` },
  // Register this client at GitHub with the callback URL https://mcp.example.com/connect/github/callback.
  client: { id: env['GITHUB_ID'] ?? 'the-id', secret: env['GITHUB_SECRET'] ?? 'the-secret' },
  scopes: ['read:user'],
  publicUrl: `${origin}/connect/github`,
  sessionOf(request) {
    const cookie = /(?:^|; )session=([\w-]+)/.exec(request.headers.get('cookie') ?? '')?.[1];
    const subject = people.get(cookie ?? '');
    return subject === undefined ? undefined : principalOf(issuer, subject);
  },
});

const server = createServer({ name: 'repositories', version: '1.0.0' });
server.tool('whoami', { description: 'Tells who the caller is at GitHub.' }, async (_, ctx) => {
  const { token } = await github.of(ctx);
  const answer = await fetch(`${api}/user`, { headers: { Authorization: `Bearer ${token}` } });
  return ((await answer.json()) as { readonly login: string }).login;
});

const guarded = protect(server, { resource: `${origin}/mcp`, issuers: [issuer] });
const { url } = await listen(guarded, {
  port: Number(env['PORT'] ?? 3000),
  allowedHosts: ['mcp.example.com'],
  pages: [github],
});
console.log(`listening at ${url}`);
