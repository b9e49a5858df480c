import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, mock, test } from 'node:test';
import { ConnectionError, failedLoads, type Receiver } from '../../../jsonrpc/transport.ts';
import { HttpProgram, servedOverHttp } from './serves-http.ts';

describe('the URL of a line that is no message', () => {
  for (const [line, url] of [
    ['MCP server listening on http://localhost:3000/mcp', 'http://localhost:3000/mcp'],
    ['  ➜  Local:   \u001b[36mhttp://localhost:\u001b[1m5173\u001b[22m/\u001b[39m', 'http://localhost:5173/'],
    ['Listening at http://0.0.0.0:8000 (Press CTRL+C to quit)', 'http://127.0.0.1:8000/'],
    ['INFO: running on [http://[::]:8000/mcp].', 'http://[::1]:8000/mcp'],
    ['up: https://mcp.example.com:8443/mcp.', 'https://mcp.example.com:8443/mcp'],
    ['open http://127.0.0.1:9/mcp?token=s3cret', 'http://127.0.0.1:9/mcp'],
  ] as const) {
    test(`is read from ${JSON.stringify(line)}`, () => {
      const found = servedOverHttp(line);
      assert.equal(found?.url, url);
      assert.ok(!JSON.stringify(found).includes('s3cret'));
    });
  }

  for (const line of ['Starting', 'see https://docs.example.com/setup', 'http://', 'redis://localhost:6379'])
    test(`is not read from ${JSON.stringify(line)}`, () => assert.equal(servedOverHttp(line), undefined));
});

describe('a program that prints its URL', () => {
  beforeEach(() => mock.timers.enable({ apis: ['setTimeout'] }));
  afterEach(() => mock.timers.reset());

  const words =
    'it printed "listening on http://localhost:3000/mcp", so it seems to serve HTTP: connect to http://localhost:3000/mcp in place of starting it';

  function scene(): {
    readonly program: HttpProgram;
    readonly receiver: Receiver;
    readonly problems: string[];
    readonly ends: ConnectionError[];
    print(): void;
  } {
    const problems: string[] = [];
    const ends: ConnectionError[] = [];
    const program = new HttpProgram('node x.mjs', (error) => ends.push(error));
    const receiver = program.before({
      message: () => undefined,
      problem: (error) => problems.push(error.message),
      closed: () => undefined,
    });
    const print = (): void =>
      receiver.problem(new ConnectionError('invalid-message', 'text is not JSON'), {
        text: 'listening on http://localhost:3000/mcp',
      });
    return { program, receiver, problems, ends, print };
  }

  test('is named at once, and waited for 5 seconds after initialize', () => {
    const { program, problems, ends, print } = scene();
    program.sent({ jsonrpc: '2.0', id: 1, method: 'server/discover' });
    print();
    assert.deepEqual(problems, [words]);
    mock.timers.tick(60_000);
    assert.deepEqual(ends, []);
    program.sent({ jsonrpc: '2.0', id: 2, method: 'initialize' });
    mock.timers.tick(4_999);
    assert.deepEqual(ends, []);
    mock.timers.tick(1);
    assert.deepEqual(
      ends.map(({ message }) => message),
      [`node x.mjs answers nothing: ${words}`],
    );
    assert.ok(ends.every((error) => failedLoads.has(error)));
  });

  test('is waited for as usual once it sends a message', () => {
    const { program, receiver, problems, ends, print } = scene();
    program.sent({ jsonrpc: '2.0', id: 1, method: 'initialize' });
    print();
    mock.timers.tick(4_000);
    receiver.message({ jsonrpc: '2.0', id: 1, result: {} });
    print();
    mock.timers.tick(60_000);
    assert.deepEqual(ends, []);
    assert.deepEqual(problems, [words, 'text is not JSON']);
  });
});
