import assert from 'node:assert/strict';
import { test } from 'node:test';
import { childEnvironment } from './environment.ts';

test('only the safe variables are inherited', () => {
  const source = { PATH: '/bin', HOME: '/home/me', AWS_SECRET_ACCESS_KEY: 'secret', NODE_OPTIONS: '--require x' };
  assert.deepEqual(childEnvironment({}, { source, platform: 'linux' }), { HOME: '/home/me', PATH: '/bin' });
});

test('given variables are added and replace inherited ones; undefined leaves one out', () => {
  const source = { PATH: '/bin', HOME: '/home/me' };
  assert.deepEqual(childEnvironment({ KEY: 'k', PATH: '/opt', HOME: undefined }, { source, platform: 'linux' }), {
    KEY: 'k',
    PATH: '/opt',
  });
});

test('an exported shell function is not inherited', () => {
  assert.deepEqual(childEnvironment({}, { source: { TERM: '() { :; }; echo' }, platform: 'linux' }), {});
});

test('on Windows a given name replaces the inherited one however it is spelt', () => {
  const source = { PATH: 'C:\\inherited', SYSTEMROOT: 'C:\\Windows', SECRET: 'secret' };
  assert.deepEqual(childEnvironment({ Path: 'C:\\given' }, { source, platform: 'win32' }), {
    SYSTEMROOT: 'C:\\Windows',
    Path: 'C:\\given',
  });
});

test('a variable named like a property of every object is only a variable', () => {
  const given = JSON.parse('{"__proto__":"x","constructor":"y"}');
  assert.deepEqual(Object.entries(childEnvironment(given, { source: {}, platform: 'linux' })), [
    ['__proto__', 'x'],
    ['constructor', 'y'],
  ]);
});
