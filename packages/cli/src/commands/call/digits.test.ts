import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { inThisProcess, run } from '../../../../../test/support/cli-process.ts';

/** A server that gives back the text of what it was given, as text and as structured content. */
const repeats = `
require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params } = JSON.parse(line);
  const results = {
    initialize: () => JSON.stringify({ protocolVersion: params.protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 's', version: '1' } }),
    'tools/list': () => '{"tools":[{"name":"same","inputSchema":{"type":"object","properties":{"n":{"type":"integer"}}}}]}',
    'tools/call': () => {
      const [given] = /(?<="arguments":)\\{[^}]*\\}/.exec(line);
      return '{"content":[{"type":"text","text":' + JSON.stringify(given) + '}],"structuredContent":' + given + '}';
    },
  };
  if (id !== undefined && results[method]) console.log('{"jsonrpc":"2.0","id":' + JSON.stringify(id) + ',"result":' + results[method]() + '}');
});`;

const digits = '12345678901234567890';

/** Command lines that call it at a revision in which it is told whole what was typed. */
function called(...words: readonly string[]): readonly string[] {
  return ['call', '--revision', '2025-06-18', ...words, '--', process.execPath, '-e', repeats];
}

test('a number keeps its digits from the command line to the server and back', async () => {
  for (const given of [
    ['same', `n=${digits}`],
    ['same', '--json', `{"n":${digits}}`],
  ]) {
    const { code, stdout } = await inThisProcess(called(...given, '--json'));
    assert.equal(code, 0, stdout);
    assert.match(stdout, new RegExp(`"text": "{\\\\"n\\\\":${digits}}"`));
    assert.match(stdout, new RegExp(`"structuredContent": {\n {4}"n": ${digits}\n {2}}`));
    const shown = await inThisProcess(called(...given));
    assert.equal(shown.stdout, `{\n  "n": ${digits}\n}\n`);
  }
});

test('a number keeps its digits on a runtime that cannot put them into JSON', async (t: TestContext) => {
  const found = Object.getOwnPropertyDescriptor(JSON, 'rawJSON');
  if (found !== undefined) {
    Reflect.deleteProperty(JSON, 'rawJSON');
    t.after(() => void Object.defineProperty(JSON, 'rawJSON', found));
  }
  const { stdout } = await inThisProcess(called('same', `n=${digits}`, '--json'));
  assert.match(stdout, new RegExp(`"n": ${digits}\n`));
});

test('what is no whole number is refused however long it is', async () => {
  const { code, stderr } = await run(called('same', 'n=0.12345678901234567890'));
  assert.deepEqual([code, stderr], [2, 'parley: argument n must be integer, not "0.12345678901234567890"\n']);
});
