import { newestRevision } from '../../../parley/src/protocol/revision.ts';

/** Words of a library's options, and those of the command line that stand for them. */
const flags: readonly (readonly [words: RegExp, flag: string])[] = [
  [/\bset resourceParameter to 'omit'/g, 'give --no-resource-parameter'],
  [/\bwith the option client\b/g, 'with --client-id and --issuer'],
  [/\bthe option client is for\b/g, '--client-id is for'],
  [/^client must have its id, and the issuer of\b/g, '--client-id must be an id, and --issuer the URL of'],
  [/\bclientMetadataUrl\b/g, '--client-metadata-url'],
  [/\bnone of which the option issuers allows\b/g, 'none of which is that of --issuer'],
  [/\bwith the option servers\b/g, 'with --issuer and --as-metadata'],
  [
    /\bwith servers: \{ '(\S+)': \{ code_challenge_methods_supported: \['S256'\] \} \}/g,
    `with --issuer $1 --as-metadata '{"code_challenge_methods_supported":["S256"]}'`,
  ],
  [/\bwith servers: \{ '(\S+)': \{ issuer: '(\S+)' \} \}/g, `with --issuer $1 --as-metadata '{"issuer":"$2"}'`],
  [/\bwith the option headers\b/g, 'with --header'],
  [/\bwith network: \{ allow: \['([^'\s]+)'\] \}/g, 'with --network-allow $1'],
  [/\bnetwork\.allow must have hosts\b/g, '--network-allow must have hosts'],
  [/\bscopes must be an array of texts, each one scope\b/g, '--scope must be a scope, or several with spaces between'],
  [/\bserve with allowedHosts: \['([^'\s]+)'\]/g, 'serve with --allow-host $1'],
  [/\bserve with allowedOrigins: \['([^'\s]+)'\]/g, 'serve with --allow-origin $1'],
  [/\btrustedProxies\.addresses has\b/g, '--trusted-proxy has'],
  [
    /\ba greater probeTimeoutMs gives it that time\b/g,
    `--revision ${newestRevision.date} gives it that time (in a bridge --upstream-revision)`,
  ],
  // What the process printed is shown once.
  [/; it was started twice, since an older server may exit at the first request of a newer client/g, ''],
  // The command line has no option for these limits.
  [/ \(option max(?:Notifications|NotificationBytes)\)/g, ''],
  [/, the limit that max(?:Line|Message)Bytes sets/g, ''],
  [/\bwithout the option device\b/g, 'without --device, or with --no-browser where there is no browser'],
];

/** Text of a failure for who types options of the command line, and does not write programs. */
export function inFlags(text: string): string {
  return flags.reduce((said, [words, flag]) => said.replaceAll(words, flag), text);
}
