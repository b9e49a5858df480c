/** On Node, and on what stands in for it: sockets by `node:http`, and a child on stdio. */
import { connect } from 'parley-mcp/client';
import { listen } from 'parley-mcp/node';
import { serveStdio, spawn } from 'parley-mcp/stdio';
import { fileURLToPath } from 'node:url';
import { exampleServer, exercise, exerciseUrl, exerciseWithin, report } from './exercise.js';
import { exerciseGuarded, guardedServer } from './guarded.js';

if (process.argv[2] === 'serve') {
  serveStdio(exampleServer());
} else {
  const server = exampleServer();
  const { url, close } = await listen(server, { port: 0 });
  const { guarded, issuer } = guardedServer();
  const guardedListening = await listen(guarded, { port: 0 });
  const child = spawn(process.execPath, [...process.execArgv, fileURLToPath(import.meta.url), 'serve']);
  report([
    ...(await exerciseWithin()),
    ...(await exerciseUrl('listen', url, server)),
    ...(await exerciseGuarded('listen', guardedListening.url, issuer)),
    ...(await exercise('stdio', (options) => connect(child, options))),
  ]);
  await close();
  await guardedListening.close();
  process.exit();
}
