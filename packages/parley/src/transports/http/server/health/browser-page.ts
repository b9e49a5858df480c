import type { HttpReply, IncomingRequest } from '../exchanges/universal.ts';

const headers = {
  'Content-Type': 'text/html; charset=utf-8',
  // Nothing is loaded, run, sent or framed.
  'Content-Security-Policy': "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'X-Content-Type-Options': 'nosniff',
  'Referrer-Policy': 'no-referrer',
  'Cache-Control': 'no-store',
};

/**
 * Answers a user who opened the address of a server in a browser: with an explanation and the configuration for a
 * client. It shows nothing but that address.
 */
export function answerBrowser(request: IncomingRequest, reply: HttpReply): void {
  const config = { mcpServers: { 'my-server': { type: 'http', url: addressOf(request) } } };
  const text = escaped(JSON.stringify(config, null, 2));
  reply.send(200, pageWith(text), headers);
}

function pageWith(config: string): string {
  const title = 'This is an MCP server';
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${title}</title></head>
<body><h1>${title}</h1>
<p>MCP clients connect to this address; there is nothing to see in a browser. Add it to the configuration of your client:</p>
<pre>${config}</pre>
</body></html>
`;
}

/** The address that the browser shows, without its query, which may hold a secret. */
function addressOf(request: IncomingRequest): string {
  const host = request.header('host') ?? '';
  const isLocal = /^(?:localhost|127\.0\.0\.1|\[::1\])(?::\d{1,5})?$/i.test(host);
  // Browsers send Sec-Fetch-Site to secure addresses alone, of which those of this machine are some.
  const isSecure = !isLocal && request.header('sec-fetch-site') !== undefined;
  const scheme = isSecure || request.header('x-forwarded-proto') === 'https' ? 'https' : 'http';
  return `${scheme}://${host}${request.path}`;
}

function escaped(text: string): string {
  return text.replaceAll(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
