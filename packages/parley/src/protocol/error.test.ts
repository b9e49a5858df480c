import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ExactNumber } from '../json/exact-number.ts';
import { errorFromWire, errorToWire, McpError, retryAfterOf, statusOf, type ErrorName } from './error.ts';
import { revisions } from './revision.ts';

/** The code of each error in each revision, oldest first. */
const codes: Readonly<Record<ErrorName, readonly number[]>> = {
  parseError: [-32700, -32700, -32700, -32700, -32700],
  invalidRequest: [-32600, -32600, -32600, -32600, -32600],
  methodNotFound: [-32601, -32601, -32601, -32601, -32601],
  invalidParams: [-32602, -32602, -32602, -32602, -32602],
  internalError: [-32603, -32603, -32603, -32603, -32603],
  resourceNotFound: [-32002, -32002, -32002, -32002, -32602],
  headerMismatch: [-32020, -32020, -32020, -32020, -32020],
  missingRequiredClientCapability: [-32600, -32600, -32600, -32600, -32021],
  unsupportedProtocolVersion: [-32022, -32022, -32022, -32022, -32022],
  urlElicitationRequired: [-32602, -32602, -32602, -32042, -32602],
  busy: [-32603, -32603, -32603, -32603, -32603],
};

for (const [name, expected] of Object.entries(codes)) {
  test(`${name} has its code in every revision`, () => {
    // The keys of the table above are error names.
    const error = new McpError(name as ErrorName, 'x');
    assert.deepEqual(
      revisions.map((revision) => errorToWire(revision, error).code),
      expected,
    );
    assert.equal(errorToWire(undefined, error).code, expected[0]);
  });
}

test('an application has codes of its own', () => {
  const error = new McpError(7, 'x', { data: { a: 1 }, cause: new Error('secret') });
  for (const revision of revisions)
    assert.deepEqual(errorToWire(revision, error), { code: 7, message: 'x', data: { a: 1 } });
});

test('codes from -32020 to -32099 belong to the newest specification, and those around them to applications', () => {
  for (const revision of revisions) {
    const sent = (code: number): number => errorToWire(revision, new McpError(code, 'x')).code;
    assert.deepEqual([-32_019, -32_100].map(sent), [-32_019, -32_100]);
    const own = [-32_030, -32_098, -32_099];
    assert.deepEqual(own.map(sent), revision.reservedErrorCodes ? own.map(() => -32_603) : own);
  }
});

test('a code that is no integer is not sent', () => {
  for (const code of [Number.NaN, 1.5, 2 ** 60])
    for (const revision of revisions) assert.equal(errorToWire(revision, new McpError(code, 'x')).code, -32603);
});

const received: readonly (readonly [number, unknown, ErrorName | undefined])[] = [
  [-32002, undefined, 'resourceNotFound'],
  [-32003, { requiredCapabilities: {} }, undefined],
  [-32003, undefined, undefined],
  [-32021, { requiredCapabilities: {} }, 'missingRequiredClientCapability'],
  [-32004, { supported: [] }, undefined],
  [-32004, {}, undefined],
  [-32022, { supported: [] }, 'unsupportedProtocolVersion'],
  [-32001, undefined, undefined],
  [-32020, undefined, 'headerMismatch'],
  [-32042, { elicitations: [] }, 'urlElicitationRequired'],
  [-32603, { retryAfterMs: 1000 }, 'busy'],
  [-32603, { retryAfterMs: new ExactNumber('1e3') }, 'busy'],
  [-32603, { retryAfterMs: '1' }, 'internalError'],
  [-32603, null, 'internalError'],
  [-32603, undefined, 'internalError'],
];

for (const [code, data, kind] of received) {
  test(`${code} with ${JSON.stringify(data)} is ${kind ?? 'nothing known [basic-027]'}`, () => {
    const error = errorFromWire(data === undefined ? { code, message: 'm' } : { code, message: 'm', data });
    assert.equal(error.kind, kind);
    assert.equal(error.code, code);
    assert.deepEqual(error.data, data);
  });
}

test('errors that the headers and the version cause have status 400', () => {
  for (const code of [-32700, -32600, -32020, -32021, -32022]) assert.equal(statusOf({ code, message: '' }), 400);
  assert.equal(statusOf({ code: -32601, message: '' }), 404);
  for (const code of [-32602, -32603, 7]) assert.equal(statusOf({ code, message: '' }), 200);
});

test('what there is no room for has status 503 and says when to come back', () => {
  const error = new McpError('busy', 'full');
  assert.deepEqual(error.data, { retryAfterMs: 1000 });
  for (const revision of revisions) assert.equal(statusOf(errorToWire(revision, error)), 503);
  const later = new McpError('busy', 'full', { data: { retryAfterMs: 5000 } });
  assert.equal(retryAfterOf(errorToWire(undefined, later)), 5000);
});
