import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import { noticePage, onwardPage, consentHeaders } from './page.ts';

test('the style of the pages is the one that their policy allows', () => {
  const style = /<style>([^<]*)<\/style>/.exec(noticePage('granted'))?.[1] ?? '';
  const digest = createHash('sha256').update(style).digest('base64');
  assert.ok(consentHeaders['Content-Security-Policy']?.includes(`style-src 'sha256-${digest}'`));
});

test('an address is escaped where it stands in a page', () => {
  const page = onwardPage(`https://as.example/authorize?a="><script>&b='x'`);
  assert.doesNotMatch(page, /<script/);
  assert.match(page, /content="0;url=https:\/\/as\.example\/authorize\?a=[^"<>']*"/);
});
