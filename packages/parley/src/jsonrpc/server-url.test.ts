import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { serverUrl } from './server-url.ts';

describe('the URL of a server', () => {
  for (const text of ['http://localhost:3000/mcp', 'https://mcp.example/mcp?key=1', 'HTTP://[::1]:1/', 'http://a'])
    it(`is taken as it is: ${text}`, () => assert.equal(serverUrl(text).href, new URL(text).href));

  const whole = 'write the whole URL, such as https://mcp.example/mcp';
  const wrong: readonly (readonly [string, string])[] = [
    // "`localhost:3000/mcp`": "what to write"
    [
      'localhost:3000/mcp',
      '"localhost:3000/mcp" is not a URL, since it has no scheme: write http://localhost:3000/mcp',
    ],
    ['localhost', '"localhost" is not a URL, since it has no scheme: write http://localhost'],
    ['127.0.0.1:3000', '"127.0.0.1:3000" is not a URL, since it has no scheme: write http://127.0.0.1:3000'],
    ['[::1]:3000/mcp', '"[::1]:3000/mcp" is not a URL, since it has no scheme: write http://[::1]:3000/mcp'],
    ['server:3000/mcp', '"server:3000/mcp" is not a URL, since it has no scheme: write http://server:3000/mcp'],
    ['mcp.example/mcp', '"mcp.example/mcp" is not a URL, since it has no scheme: write https://mcp.example/mcp'],
    [
      'mcp.example:8443/mcp?key=secret',
      '"mcp.example:8443/mcp" is not a URL, since it has no scheme: write https://mcp.example:8443/mcp',
    ],
    [
      'me:secret@mcp.example/mcp',
      '"mcp.example/mcp" is not a URL, since it has no scheme: write https://mcp.example/mcp',
    ],
    ['localhost:1/@me', '"localhost:1/@me" is not a URL, since it has no scheme: write http://localhost:1/@me'],
    // "not a URL"
    ['not a url', `"not a url" is not a URL: ${whole}`],
    ['/mcp', `"/mcp" is not a URL: ${whole}`],
    ['', `"" is not a URL: ${whole}`],
    [
      'http://me:1@127.0.0.1:99999/mcp?key=secret',
      '"http://127.0.0.1:99999/mcp" is not a URL: there is no port 99999, the last one is 65535',
    ],
    ['http://a b:65535/', `"http://a b:65535/" is not a URL: ${whole}`],
    ['http://a b:65536/', '"http://a b:65536/" is not a URL: there is no port 65536, the last one is 65535'],
    ['http://', `"http://" is not a URL: ${whole}`],
    ['ws://me:secret@x/mcp?key=secret', '"ws://x/mcp" is no http: or https: URL, by which servers are reached'],
    ['file:///etc/passwd', '"file:///etc/passwd" is no http: or https: URL, by which servers are reached'],
  ];
  for (const [text, message] of wrong)
    it(`is refused with what to write: ${JSON.stringify(text)}`, () => {
      assert.throws(() => serverUrl(text), { name: 'TypeError', message });
    });
});
