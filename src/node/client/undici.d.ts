// The parts of undici that are used, each by itself: its main module would also replace what the global `fetch` of the
// process sends by. The version is exact, so that the parts are where they are.

declare module 'undici/lib/dispatcher/client.js' {
  export { Client as default } from 'undici';
}

declare module 'undici/lib/core/connect.js' {
  export { buildConnector as default } from 'undici';
}
