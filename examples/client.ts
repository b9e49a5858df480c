import { connect } from 'parley-mcp/client';

const client = await connect(process.argv[2] ?? 'http://127.0.0.1:3000/mcp');
console.log((await client.callTool('forecast', { city: 'Oslo' })).content);
await client.close();
