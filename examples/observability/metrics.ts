import { metrics } from '@opentelemetry/api';
import { PrometheusExporter } from '@opentelemetry/exporter-prometheus';
import { MeterProvider } from '@opentelemetry/sdk-metrics';
import { listen } from 'parley-mcp/node';
import { otel } from 'parley-mcp/otel';
import { createServer } from 'parley-mcp/server';

// Prometheus scrapes this port. Do not open it to other clients.
const exporter = new PrometheusExporter({ host: '127.0.0.1', port: Number(process.env['METRICS_PORT'] ?? 9464) });
metrics.setGlobalMeterProvider(new MeterProvider({ readers: [exporter] }));

const server = createServer({ name: 'weather', version: '1.0.0' });
server.tool('forecast', {}, () => 'rain');
server.use(otel());

const { url } = await listen(server, { port: Number(process.env['PORT'] ?? 3000) });
console.log(`serving ${url}`);
