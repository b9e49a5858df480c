import type { CompleteStep, InputRequiredStep } from 'parley-mcp/client';
import { createServer } from 'parley-mcp/server';
import { connectInMemory } from 'parley-mcp/testing';
import { z } from 'zod';

const server = createServer({ name: 'restaurant', version: '1.0.0' });
const schema = z.object({ guests: z.int() });
server.tool('book', { input: z.object({ day: z.string() }) }, async ({ day }, ctx) => {
  const answer = await ctx.elicit({ message: `How many on ${day}?`, schema }, { key: 'guests' });
  return answer.action === 'accept' ? `booked for ${answer.content.guests}` : 'nothing is booked';
});

// Without a handler, the capability must be declared.
const client = await connectInMemory(server, { capabilities: { elicitation: { form: {} } } });
const first = await client.begin('tools/call', { name: 'book', arguments: { day: 'Friday' } });
// Before 2026-07-28, or without a question, the first step is complete.
if (first.status === 'complete') console.log(first.result.content);
else {
  // A step is JSON. Another process can continue it when the user has answered.
  const stored = JSON.stringify(first);
  const step: InputRequiredStep<'tools/call'> = JSON.parse(stored);
  for (const [key, { method, params }] of Object.entries(step.inputRequests ?? {}))
    console.log(key, method, params !== undefined && 'message' in params ? params.message : '');
  const next = await client.resume(step, { guests: { action: 'accept', content: { guests: 2 } } });
  // `next` can ask again. Continue until it is complete.
  if (next.status === 'complete') show(next);
}
await client.close();

function show({ result }: CompleteStep<'tools/call'>): void {
  console.log(result.content);
}
