/** The limit on stdio: it parses each line and writes an answer, and does nothing else. */
import { stateless } from '../harness/requests.ts';
import { answerCpu } from './support.ts';

interface Call {
  readonly id?: number;
  readonly params?: { readonly arguments?: { readonly a: number; readonly b: number } };
}

answerCpu();
let rest = '';
process.stdin.setEncoding('utf8').on('data', (chunk: string) => {
  const lines = (rest + chunk).split('\n');
  rest = lines.pop() ?? '';
  for (const line of lines) {
    const { id, params } = JSON.parse(line) as Call;
    if (id === undefined) continue;
    const { a, b } = params?.arguments ?? { a: 0, b: 0 };
    const content = [{ type: 'text', text: String(a + b) }];
    const result = { resultType: 'complete', content, protocolVersion: stateless };
    process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', id, result })}\n`);
  }
});
