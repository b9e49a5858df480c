import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bundle } from '../scripts/bundle.ts';
import { programs, strangers } from '../scripts/size-plan.ts';
import { faults } from '../scripts/size.ts';

test('a program over its budget is named', async () => {
  const [program] = programs;
  assert.ok(program !== undefined);
  const small = { ...program, budget: 0.01 };
  const found = faults([{ program: small, bundle: await bundle('console.log("a program of some length");', 'src') }]);
  assert.match(found[0] ?? '', /^HTTP server is 0\.1 KB, over its budget of 0\.01 KB$/);
});

test('a program over its budget in one file is named', async () => {
  const [program] = programs;
  assert.ok(program !== undefined);
  const small = { ...program, whole: 0.01 };
  const found = faults([{ program: small, bundle: await bundle('console.log("a program of some length");', 'src') }]);
  assert.match(found[0] ?? '', /^HTTP server in one file is 0\.1 KB, over its budget of 0\.01 KB$/);
});

test('a program over its budget on demand is named', async () => {
  const [program] = programs;
  assert.ok(program !== undefined);
  const late = "console.log(await import('parley-mcp/protocol'));";
  const found = faults([{ program: { ...program, later: 0.01 }, bundle: await bundle(late, 'src') }]);
  assert.match(found.join(), /HTTP server on demand is [\d.]+ KB, over its budget of 0\.01 KB/);
});

for (const [what, code] of [
  ['a module of Node', "import { cpus } from 'node:os'; console.log(cpus());"],
  ['the flow of OAuth', "console.log('code_verifier');"],
  ['HTTP+SSE of a client', "export { ssePairTransport } from 'parley-mcp/http';"],
  ['a client', "export { TooManyRoundsError } from 'parley-mcp/client';"],
  ['a recording', "export { tapHttp } from './packages/cli/src/recorder/tap-http.ts';"],
  ['the judge of servers', "export { turnedAway } from './packages/cli/src/check/harness/exchange.ts';"],
  ['the process of inspect', "export { Questions } from './packages/cli/src/inspect/servers/questions.ts';"],
  ['the work on tasks', "export { leaseEnded } from './packages/parley/src/tasks/machine.ts';"],
  ['the check of JSON Schemas', "export { compileSchema } from './packages/parley/src/schema/json-schema.ts';"],
  [
    'regular expressions in linear time',
    "export { linearPattern } from './packages/parley/src/schema/linear/linear.ts';",
  ],
] as const)
  test(`${what} is seen where it does not belong`, async () => {
    const stranger = strangers.find((one) => one.what === what);
    const program = programs.find((one) => stranger?.in(one));
    assert.ok(program !== undefined);
    const found = faults([{ program, bundle: await bundle(code, 'src') }]);
    assert.ok(
      found.some((fault) => fault.startsWith(`${program.name} loads ${what} at its start`)),
      found.join('\n'),
    );
  });
