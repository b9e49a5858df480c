// The limit: a program without a library that answers what it is asked.
const tools = [{ name: 'add', inputSchema: { type: 'object' } }];
let rest = '';
process.stdin.setEncoding('utf8').on('data', (chunk) => {
  const lines = (rest + chunk).split('\n');
  rest = lines.pop() ?? '';
  for (const line of lines) {
    const { id, params } = JSON.parse(line);
    if (id === undefined) continue;
    const { protocolVersion } = params ?? {};
    const serverInfo = { name: 'bench', version: '1.0.0' };
    const result =
      protocolVersion === undefined ? { tools } : { protocolVersion, capabilities: { tools: {} }, serverInfo };
    process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', id, result })}\n`);
  }
});
