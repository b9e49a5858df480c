import { connect } from 'parley-mcp/client';

const client = await connect('https://example.com/mcp', { onElicit: () => 'decline' });
const onProgress = ({ message }: { readonly message?: string }) => console.log(message);
const { content } = await client.callTool('report', { year: 2026 }, { onProgress });
console.log(content);
