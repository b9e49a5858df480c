import { readFileSync } from 'node:fs';

const sidebar: unknown = JSON.parse(readFileSync(new URL('../dist/pages/sidebar.json', import.meta.url), 'utf8'));

/** The site. `npm run lab -- site` writes its pages first. */
export default {
  title: 'Parley',
  description: 'MCP for TypeScript: servers, clients and a bridge for every protocol version',
  srcDir: 'dist/pages',
  outDir: 'dist/html',
  srcExclude: ['public/**'],
  lang: 'en',
  cleanUrls: true,
  // The default colours of code have too little contrast.
  markdown: { theme: { light: 'github-light-high-contrast', dark: 'github-dark-high-contrast' } },
  themeConfig: {
    nav: [
      { text: 'Tutorial', link: '/tutorial' },
      { text: 'How-to', link: '/guide' },
      { text: 'API', link: '/api/' },
      { text: 'Command line', link: '/commands' },
    ],
    sidebar,
    outline: [2, 3],
    search: {
      provider: 'local',
      // Generated pages have every word: the pages that people wrote come first.
      options: {
        miniSearch: {
          searchOptions: {
            boostDocument: (id: string) =>
              /^\/(?:api\/|evidence\/|bench|check|commands|fidelity|options)/.test(id) ? 0.15 : 1,
          },
        },
      },
    },
  },
};
