import { readFile, writeFile } from 'node:fs/promises';
import { connect } from 'parley-mcp/client';

const client = await connect('https://example.com/mcp');
const task = await client.startTask('report', { year: 2026 });
await writeFile('task.json', JSON.stringify(task.reference ?? null));
for await (const { status, statusMessage } of task.updates()) console.log(status, statusMessage);
const { content } = await task.result();
console.log(content);

// Another process continues with the task.
const again = await client.task(JSON.parse(await readFile('task.json', 'utf8')));
await again.cancel();
