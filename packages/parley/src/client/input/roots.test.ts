import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { checkRoots } from './roots.ts';

describe('the URI of a root', () => {
  for (const uri of ['file:///', 'file:///home/user/a%20b', 'file://host/share', 'file:///a..b/...', 'file:///a#..']) {
    it(`may be ${uri} [roots-004]`, () => checkRoots([{ uri }]));
  }

  for (const uri of ['/home', 'http://a.example/', 'file:/a', 'FILE', '', undefined, 7]) {
    it(`may not be ${String(uri)} [C61] [roots-004]`, () => {
      assert.throws(() => checkRoots([{ uri: 'file:///ok' }, { uri: uri as string }]), TypeError);
    });
  }

  for (const path of ['/..', '/a/../b', '/a/%2e%2E/b', '/a/.%2e', '/a%2f..%2Fb', '/a\\..\\b', '/a/..?x', '/a%5c..']) {
    it(`may not lead out of itself: ${path} [roots-007]`, () => {
      assert.throws(() => checkRoots([{ uri: `file://${path}` }]), { name: 'TypeError', message: /\.\./ });
    });
  }
});
