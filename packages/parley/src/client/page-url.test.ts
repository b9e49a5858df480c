import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { McpError } from '../protocol/error.ts';
import { urlElicitations } from './api/errors.ts';
import { malformation } from './input/answering.ts';
import { visitOf } from './input/url-elicitation.ts';

const good = [
  'https://pay.example/1?a=b#c',
  'http://127.0.0.1:8080/',
  'http://localhost/',
  'http://app.localhost:3000/',
  'http://[::1]:1/',
  'HTTPS://PAY.example',
];
const bad = [
  'http://pay.example/',
  'http://127.0.0.1.pay.example/',
  'http://localhost.pay.example/',
  'https://bank.example@pay.example/',
  'https://bank.example:x@pay.example/',
  'http://localhost@pay.example/',
  'ftp://pay.example/',
  'javascript:alert(1)',
  'JavaScript:alert(1)',
  'java\nscript:alert(1)',
  ' javascript:alert(1)',
  'https://pay.example/\n',
  'data:text/html,x',
  'file:///etc/passwd',
  'vbscript:x',
  'blob:https://pay.example/1',
  'ms-settings:',
  '//pay.example/',
  '/pay',
  'pay here',
  '',
];

/** Whether a question with the URL reaches a handler, and whether an error with it names a page. */
function taken(url: string): readonly [boolean, boolean] {
  const params = { mode: 'url', message: 'm', url, elicitationId: 'e' } as const;
  const error = new McpError('urlElicitationRequired', 'm', { data: { elicitations: [params] } });
  const asked = malformation({ method: 'elicitation/create', params }) === undefined;
  return [asked, urlElicitations(error).length === 1];
}

describe('a page that a server names', () => {
  for (const url of good) {
    it(`may be at ${JSON.stringify(url)}`, () => assert.deepEqual(taken(url), [true, true]));
  }

  for (const url of bad) {
    it(`may not be at ${JSON.stringify(url)} [security-028] [security-029] [security-033]`, () => {
      assert.deepEqual(taken(url), [false, false]);
    });
  }
});

it('nothing but a page to visit counts as one, whatever fields it has', () => {
  const page = { mode: 'url', message: 'm', url: 'https://a.example/', elicitationId: 'e' };
  const others = ['form', undefined, 7].map((mode) => ({ ...page, mode }));
  const unfit = ['message', 'url', 'elicitationId'].map((key) => ({ ...page, [key]: 7 }));
  const listed = [null, 'x', [page], ...others, ...unfit, page];
  const error = new McpError('urlElicitationRequired', 'm', { data: { elicitations: listed } });
  assert.deepEqual(urlElicitations(error), [page]);
});

describe('what the handler of onElicitUrl gets', () => {
  it('is URL.href, and its host apart', () => {
    const params = {
      mode: 'url',
      message: 'm',
      url: 'HTTPS:\\\\PÄY.example:8443/a b'.replace(' ', '%20'),
      elicitationId: 'e',
    } as const;
    assert.deepEqual(visitOf(params), {
      ...params,
      url: 'https://xn--py-via.example:8443/a%20b',
      host: 'xn--py-via.example:8443',
    });
  });
});
