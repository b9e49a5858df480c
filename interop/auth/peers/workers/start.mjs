// Runs the worker in workerd: node start.mjs <worker> <options as JSON>.
import { build } from 'esbuild';
import { Miniflare } from 'miniflare';

const [worker, options] = process.argv.slice(2);
const { port, ...bindings } = JSON.parse(options);
const built = await build({
  entryPoints: [worker],
  bundle: true,
  format: 'esm',
  write: false,
  external: ['cloudflare:*', 'node:*'],
  nodePaths: [new URL('node_modules', import.meta.url).pathname],
});
const miniflare = new Miniflare({
  host: '127.0.0.1',
  port,
  modules: true,
  script: built.outputFiles[0].text,
  compatibilityDate: '2026-06-01',
  compatibilityFlags: ['nodejs_compat'],
  kvNamespaces: ['OAUTH_KV'],
  bindings,
});
await miniflare.ready;
console.log('ready');
