import { serveStdio } from '../../../../parley/src/transports/stdio/server/serve.ts';
import { createExampleServer } from './server.ts';
import { whenAborted, UsageError, type Io } from '../io.ts';
import { parseOptions } from '../options.ts';

/** Serves the example server on standard input and output. */
export async function example(argv: readonly string[], io: Io): Promise<number> {
  const [word] = parseOptions(argv, {}).words;
  if (word !== undefined) throw new UsageError(`parley example takes no arguments, such as ${JSON.stringify(word)}`);
  const server = createExampleServer();
  const stdio = serveStdio(server, { input: io.stdin, output: io.stdout });
  await Promise.race([stdio.closed, whenAborted(io.signal)]);
  await stdio.close();
  await server.close();
  return 0;
}
