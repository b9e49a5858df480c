import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { BatchSpanProcessor, NodeTracerProvider } from '@opentelemetry/sdk-trace-node';
import { createBridge } from 'parley-mcp/bridge';
import { otel } from 'parley-mcp/otel';
import { createServer } from 'parley-mcp/server';
import { connectInMemory, memoryTransport } from 'parley-mcp/testing';

// Sends spans to the collector of OTEL_EXPORTER_OTLP_ENDPOINT, by default http://localhost:4318. `register` sets the propagators.
const provider = new NodeTracerProvider({ spanProcessors: [new BatchSpanProcessor(new OTLPTraceExporter())] });
provider.register();

const server = createServer({ name: 'weather', version: '1.0.0' });
server.tool('forecast', {}, () => 'rain');
server.use(otel());

const bridge = await createBridge({ upstream: memoryTransport(server) });
bridge.use(otel());

const client = await connectInMemory(bridge, { revision: '2025-06-18' });
client.use(otel());
console.log((await client.callTool('forecast')).content);

await client.close();
await bridge.close();
await server.close();
// Sends the remaining spans. It rejects if no collector is running.
await provider.shutdown().catch((error: unknown) => console.error('spans were not sent:', error));
