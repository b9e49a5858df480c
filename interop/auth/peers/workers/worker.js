// An authorization server of `@cloudflare/workers-oauth-provider`, whose page is of this file.
import { OAuthAuthorizationServer } from '@cloudflare/workers-oauth-provider';

let server;

function serverOf(env) {
  server ??= new OAuthAuthorizationServer({
    issuer: env.ISSUER,
    resources: [env.RESOURCE],
    scopesSupported: ['mcp:read', 'mcp:write', 'offline_access'],
    clientRegistrationEndpoint: '/register',
    accessTokenTTL: 300,
  });
  return server;
}

// oxlint-disable-next-line import/no-default-export -- workers are modules with a default export
export default {
  async fetch(request, env, context) {
    const authorizationServer = serverOf(env);
    const url = new URL(request.url);
    if (url.pathname === '/authorize') {
      const helpers = authorizationServer.getOAuthApi(env);
      if (request.method === 'GET')
        return new Response('<form method="post"><button name="agree" value="yes">Allow</button></form>', {
          headers: { 'content-type': 'text/html' },
        });
      const wanted = await helpers.parseAuthRequest(new Request(url));
      const { redirectTo } = await helpers.completeAuthorization({
        request: wanted,
        userId: 'ann',
        scope: wanted.scope,
        metadata: {},
        props: { name: 'ann' },
      });
      return new Response(null, { status: 302, headers: { location: redirectTo } });
    }
    if (url.pathname === '/introspect') {
      // The library gives this to other workers by a binding; here it is asked over HTTP.
      if (request.headers.get('authorization') !== `Basic ${btoa(`resource-server:${env.SECRET}`)}`)
        return new Response('', { status: 401 });
      const token = new URLSearchParams(await request.text()).get('token') ?? '';
      const valid = await authorizationServer.validateToken(env.RESOURCE, token, env);
      if (valid === null) return Response.json({ active: false });
      return Response.json({
        active: true,
        iss: env.ISSUER,
        sub: valid.userId,
        client_id: valid.clientId,
        scope: valid.scope.join(' '),
        aud: valid.audience,
        exp: valid.expiresAt,
      });
    }
    return await authorizationServer.fetch(request, env, context);
  },
};
