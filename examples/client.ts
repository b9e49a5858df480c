import { connect } from 'parley-mcp/client';

const client = await connect(process.argv[2] ?? 'http://127.0.0.1:3000/mcp');
for (const { name, inputSchema } of await client.listTools()) console.log(name, inputSchema.properties);
const { content } = await client.callTool('forecast', { city: 'Oslo' });
console.log(client.revision, content);

await client.close();
