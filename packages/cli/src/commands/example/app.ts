import type { Server } from '../../../../parley/src/server/server.ts';
import { ToolError } from '../../../../parley/src/server/definition/tool-result.ts';
import { cityNamed, cityNames, forecast } from './data.ts';

/** Address and type of the app. (SEP-1865.) */
const uri = 'ui://example/forecast';
const mimeType = 'text/html;profile=mcp-app';

/** App that draws a forecast: it uses only messages to its host, and loads nothing. */
const page = `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><title>Forecast</title><style>
:root { color-scheme: light dark; font: 14px/1.4 system-ui, sans-serif; color: light-dark(#1c1e21, #e6e8ea); background: light-dark(#fff, #1d2024); }
body { margin: 12px; }
ol { list-style: none; padding: 0; display: flex; gap: 8px; align-items: end; min-height: 150px; }
li { flex: 1; text-align: center; }
.bar { background: light-dark(#0b57c4, #8ab4ff); border-radius: 3px 3px 0 0; }
button { font: inherit; min-height: 28px; margin-inline-end: 6px; }
</style></head>
<body>
<h1 id="city">Forecast</h1>
<p id="words">Waiting for a call of the tool.</p>
<ol id="days"></ol>
<p><button id="more">Seven days</button><button id="link">About the weather</button></p>
<script>
let last = 0;
const waiting = new Map();
const say = (message) => parent.postMessage({ jsonrpc: '2.0', ...message }, '*');
const ask = (method, params) => new Promise((resolve, reject) => {
  waiting.set(++last, { resolve, reject });
  say({ id: last, method, params });
});
const at = (id) => document.getElementById(id);
const draw = ({ city, days }) => {
  at('city').textContent = city;
  at('words').textContent = days.length + ' days, and nothing of it is true.';
  at('days').replaceChildren(...days.map(({ day, sky, celsius }) => {
    const item = document.createElement('li');
    const bar = document.createElement('div');
    bar.className = 'bar';
    bar.style.height = Math.max(4, celsius * 4) + 'px';
    item.append(bar, 'day ' + day, document.createElement('br'), celsius + ' °C, ' + sky);
    return item;
  }));
  say({ method: 'ui/notifications/size-changed', params: { width: document.body.scrollWidth, height: document.documentElement.scrollHeight } });
};
const themed = (theme) => { if (theme) document.documentElement.style.colorScheme = theme; };
addEventListener('message', ({ data }) => {
  const { id, method, params, result, error } = data;
  if (method === undefined) {
    const asked = waiting.get(id);
    waiting.delete(id);
    if (error === undefined) asked?.resolve(result); else asked?.reject(new Error(error.message));
  } else if (method === 'ui/notifications/tool-result' && params.structuredContent) draw(params.structuredContent);
  else if (method === 'ui/notifications/host-context-changed') themed(params.theme);
  else if (id !== undefined) say({ id, result: {} });
});
const tried = async (work) => { try { await work(); } catch ({ message }) { at('words').textContent = message; } };
at('more').onclick = () => tried(async () => {
  const { structuredContent } = await ask('tools/call', { name: 'forecast', arguments: { city: at('city').textContent, days: 7 } });
  if (structuredContent) draw(structuredContent);
});
at('link').onclick = () => tried(() => ask('ui/open-link', { url: 'https://example.com/weather' }));
ask('ui/initialize', { protocolVersion: '2026-01-26', appInfo: { name: 'forecast', version: '1' }, appCapabilities: {} })
  .then(({ hostContext }) => { themed(hostContext?.theme); say({ method: 'ui/notifications/initialized' }); });
</script>
</body>
</html>
`;

/** A tool that is shown by an app, and the app. */
export function addApp(server: Server): void {
  server.tool(
    'chart',
    {
      title: 'Chart',
      description: 'Draws the weather of a city, by an app where one can be shown.',
      input: {
        type: 'object',
        properties: {
          city: { type: 'string', description: `One of ${cityNames.join(', ')}.` },
          days: { type: 'integer', minimum: 1, maximum: 7, description: 'How many days; 5 when left out.' },
        },
        required: ['city'],
      },
      annotations: { readOnlyHint: true, idempotentHint: true, openWorldHint: false },
      meta: { ui: { resourceUri: uri } },
    },
    ({ city, days }) => {
      const found = cityNamed(city);
      if (found === undefined)
        throw new ToolError(`there is no weather in ${JSON.stringify(city)}; try ${cityNames.join(', ')}`);
      const all = forecast(found, days ?? 5);
      return {
        content: [
          { type: 'text', text: all.map(({ day, celsius, sky }) => `day ${day}: ${celsius} °C, ${sky}`).join('\n') },
        ],
        structuredContent: { city: found.name, days: all },
      };
    },
  );
  server.resource(uri, { name: 'forecast app', title: 'The forecast as an app', mimeType }, () => ({
    contents: [{ uri, mimeType, text: page, _meta: { ui: { prefersBorder: true } } }],
  }));
}
