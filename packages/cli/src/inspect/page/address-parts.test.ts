import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { aroundHost } from './address-parts.ts';

const hosted = (url: string): readonly [string, string, string] | undefined => aroundHost(url, new URL(url).host);

test('the host of an address is the one that is visited, whatever stands around it', () => {
  assert.deepEqual(hosted('https://example.com/map?zoom=3'), ['https://', 'example.com', '/map?zoom=3']);
  assert.deepEqual(hosted('https://evil.example/?to=https://evil.example/x'), [
    'https://',
    'evil.example',
    '/?to=https://evil.example/x',
  ]);
  assert.deepEqual(hosted('https://evil.example.good.example@evil.example/'), [
    'https://evil.example.good.example@',
    'evil.example',
    '/',
  ]);
  assert.deepEqual(hosted('https://evil.example@x@evil.example:8443#evil.example'), [
    'https://evil.example@x@',
    'evil.example:8443',
    '#evil.example',
  ]);
  assert.deepEqual(hosted('HTTPS://EXAMPLE.com:443?a'), ['HTTPS://', 'EXAMPLE.com:443', '?a']);
  assert.deepEqual(hosted('https://[::1]:80\\@good.example'), ['https://', '[::1]:80', '\\@good.example']);
});

test('a host that is written otherwise is told beside the address', () => {
  assert.equal(hosted('https://b\u00fccher.example/'), undefined);
  assert.equal(hosted('https:example.com'), undefined);
  assert.equal(hosted('https://127.1/'), undefined);
  assert.equal(aroundHost('example.com', 'example.com'), undefined);
});

test('the parts of an address are the whole of it, and the middle one is what a browser visits', () => {
  const piece = fc.constantFrom('a.example', 'b.example', '@', ':', '80', '/', '?', '#', 'x', '\\');
  fc.assert(
    fc.property(fc.array(piece, { minLength: 1, maxLength: 8 }), (pieces) => {
      const url = `https://${pieces.join('')}`;
      if (!URL.canParse(url)) return;
      const parts = hosted(url);
      if (parts === undefined) return;
      assert.equal(parts.join(''), url);
      assert.equal(new URL(`https://${parts[1]}`).hostname, new URL(url).hostname);
    }),
  );
});
