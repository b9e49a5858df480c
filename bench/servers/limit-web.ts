/** The limit for what answers a `Request` with a `Response`: it holds streams open, and writes one event to each. */
import { acknowledgement, event } from './limit-events.ts';
import { serveWeb } from './web.ts';

const open = new Set<ReadableStreamDefaultController<Uint8Array>>();
const encoder = new TextEncoder();

await serveWeb(
  async (request) => {
    await request.text();
    return new Response(held(), { headers: { 'Content-Type': 'text/event-stream' } });
  },
  {
    change: () => {
      for (const controller of open) controller.enqueue(encoder.encode(event));
    },
  },
);

function held(): ReadableStream<Uint8Array> {
  let opened: ReadableStreamDefaultController<Uint8Array>;
  return new ReadableStream<Uint8Array>({
    start: (controller) => {
      opened = controller;
      open.add(controller);
      controller.enqueue(encoder.encode(acknowledgement));
    },
    cancel: () => void open.delete(opened),
  });
}
