import { connect, ConnectionError } from 'parley-mcp/client';

const url = process.argv[2] ?? 'http://127.0.0.1:3000/mcp';
try {
  const client = await connect(url, { info: { name: 'my-client', version: '1.0.0' } });
  console.log(`${client.server?.name} speaks ${client.revision}`);
  for (const { name, inputSchema } of await client.listTools()) console.log(name, inputSchema.required);

  for (const city of ['Oslo', 7]) {
    const { isError, content } = await client.callTool('forecast', { city });
    // A failed call is a result too. A model reads its text and corrects the arguments.
    console.log(isError === true ? 'failed:' : 'answered:', content);
  }
  await client.close();
} catch (error) {
  if (!(error instanceof ConnectionError)) throw error;
  console.error(`${url} cannot be used (${error.reason}): ${error.message}`);
}
