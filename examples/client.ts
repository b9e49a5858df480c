import { connect } from 'parley-mcp/client';

const client = await connect('http://127.0.0.1:3000/mcp');
for (const { name, description } of await client.listTools()) console.log(name, description);
const { content } = await client.callTool('forecast', { city: 'Oslo' });
console.log(client.revision, content);

await client.close();
