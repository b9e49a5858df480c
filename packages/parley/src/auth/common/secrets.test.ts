import assert from 'node:assert/strict';
import { test } from 'node:test';
import { hiding } from './secrets.ts';

const begin = 'eyJhbGciOiJSUzI1NiJ9';
const [long, short] = [`${begin}.a-long-payload-of-it.signature`, `${begin}.short.signed`];

test('a secret that begins like a longer one is hidden to its end', () => {
  assert.equal(hiding([long, short])(`with ${short}, not ${long}.`), 'with •••, not •••.');
  const spelled = ['s/"+ &é-one', 's/"+ &é-another'];
  assert.equal(hiding(spelled)(spelled.map(encodeURIComponent).join(' ')), '••• •••');
});

test('a secret is hidden to its end, also where its other spellings begin like it', () => {
  const secret = 'abcdefghijklmnop+qr/stuvw&xyz';
  assert.equal(hiding([secret])(`with ${secret} and ${JSON.stringify({ secret })}`), 'with ••• and {"secret":"•••"}');
});

test('a word that begins like a secret is hidden to its end, for it is rather another of its kind', () => {
  assert.equal(hiding([long])(`{"not":"${short}"}, with ${begin}.a-long...`), '{"not":"•••"}, with •••...');
});

test('a secret in JSON within JSON is hidden', () => {
  const secret = 'one"two\\three/four';
  assert.equal(hiding([secret])(JSON.stringify(JSON.stringify([secret]))), JSON.stringify(JSON.stringify(['•••'])));
});
