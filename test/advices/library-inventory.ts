/** The texts of the library, and those that come of its own on the command line, by the tests that follow them. */

/** The texts by file and title of a test. */
export const followedByPrograms: readonly (readonly [file: string, title: string, texts: readonly string[]])[] = [
  [
    'packages/cli/src/check/rules/http/lasting.test.ts',
    'a stream that is quiet for less than a minute, or ended, says nothing of comments',
    ['it was listened to for ${} s alone, and a comment may come once a minute: --timeout 2500 or more'],
  ],
  [
    'packages/cli/src/commands/advised-options.test.ts',
    'a client that was registered by hand',
    [
      '${} does not let clients register themselves: register this one there, and give its id with the option client${}',
      'with --client-id and --issuer',
    ],
  ],
  [
    'packages/cli/src/commands/advised-options.test.ts',
    'a document of client metadata',
    [', or the URL of its metadata document with clientMetadataUrl'],
  ],
  [
    'packages/cli/src/commands/advised-options.test.ts',
    'a host of an inner network',
    [
      "${} leads to ${}, inside a network where a server elsewhere may not send us; if that is meant, allow it with network: { allow: ['${}'] }",
      'with --network-allow $1',
      "${} lies at ${}, ${}, where a server elsewhere may not send us; if that is meant, allow it with network: { allow: ['${}'] }",
    ],
  ],
  [
    'packages/cli/src/commands/advised-options.test.ts',
    'a late answer to the probe is in time with the options that the warning names',
    [
      '; its answer came later: a greater probeTimeoutMs gives it that time',
      '--revision ${} gives it that time (in a bridge --upstream-revision)',
    ],
  ],
  [
    'packages/cli/src/commands/advised-options.test.ts',
    'a resource that the authorization server does not know',
    [
      "it does not know the resource; if it supports no resources at all, set resourceParameter to 'omit'",
      'give --no-resource-parameter',
    ],
  ],
  [
    'packages/cli/src/commands/advised-options.test.ts',
    'an issuer that differs by a slash',
    [
      "the issuer ${}, which differs only by a final slash, so it is not used; if both are one server, allow it with servers: { '${}': { issuer: '${}' } }",
      'with --issuer $1 --as-metadata \'{"issuer":"$2"}\'',
    ],
  ],
  [
    'packages/cli/src/commands/advised-options.test.ts',
    'metadata of an authorization server that publishes none',
    [
      'the authorization server ${} publishes no metadata; give its endpoints with the option servers',
      '${} publishes no metadata, and has no page at ${}, the default sign-in page (HTTP ${}); give its endpoints with the option servers',
      'with --issuer and --as-metadata',
      ', or its endpoints by --issuer and --as-metadata',
      'gives up; what they would say can be given by --issuer <issuer> --as-metadata <json>',
    ],
  ],
  [
    'packages/cli/src/commands/advised-options.test.ts',
    'protection of codes that the authorization server does not publish',
    [
      "${} does not declare that it protects codes (code_challenge_methods_supported without S256); if it does, declare it with servers: { '${}': { code_challenge_methods_supported: ['S256'] } }",
      'with --issuer $1 --as-metadata \'{"code_challenge_methods_supported":["S256"]}\'',
    ],
  ],
  [
    'packages/cli/src/commands/bridge.test.ts',
    'on all addresses it says which names it answers to',
    [
      '  note     other machines can connect without authentication; it answers to the names ${} alone (--allow-host adds one)\n',
    ],
  ],
  [
    'packages/cli/src/commands/in-flags.test.ts',
    'what a command line cannot mean is told in its flags, too',
    [
      '--client-id must be an id, and --issuer the URL of',
      '--network-allow must have hosts',
      '--scope must be a scope, or several with spaces between',
    ],
  ],
  [
    'packages/cli/src/commands/tasks/tasks.test.ts',
    'a reference is all that another command needs, typed or on standard input',
    [
      'the server lists no tasks: it did not declare tasks.list; keep the references that --detach prints',
      'give what parley call --task --detach printed, between single quotes, or - to read it from standard input',
    ],
  ],
  [
    'packages/cli/src/commands/telemetry.test.ts',
    'goes on with the trace of a client, and tells of all of it before it ends',
    [
      '--otel found no SDK of OpenTelemetry that is registered: a module of yours does that, which NODE_OPTIONS="--import ./telemetry.mjs" node_modules/.bin/parley loads, without npx; parley help bridge says what to install',
      '--otel needs the package @opentelemetry/api beside parley-cli: npm install @opentelemetry/api@1.9',
    ],
  ],
  [
    'packages/parley/src/transports/node/login/loopback.test.ts',
    'without a browser the error says what to do, and with somebody who was told the address it waits',
    [
      'no browser could be opened on this machine; sign in where there is one, or open the page yourself (onUrl, --no-browser)',
    ],
  ],
  [
    'packages/parley/src/auth/client/interactive/popup.test.ts',
    'that the browser does not open is asked for again by a click, or told of',
    [
      'the browser blocked the sign-in window, since there was no click: sign in from a click, or give popup the option onBlocked',
    ],
  ],
  [
    'packages/parley/src/auth/server/replaced-keys.test.ts',
    'metadata that name the issuer with another slash are refused with the setting that allows it',
    ['differs from ${} by the slash at its end alone; if both are one server, add ${} to its issuerAliases'],
  ],
  [
    'test/advices/library.test.ts',
    'a body that was refused as too large is taken with the named option',
    ['a body of more than ${} bytes was refused with 413; if such are meant to come, serve with a larger maxBodyBytes'],
  ],
  [
    'test/advices/library.test.ts',
    'a bridge takes the authorization that its error names',
    [
      "${}: upstreamAuth 'service' is for a machine, and auth is a person's: give clientCredentials(), workloadIdentity() or a token",
      "${}: with upstreamAuth '${}' each client is itself there: give upstream as a URL, without auth",
    ],
  ],
  [
    'test/advices/library.test.ts',
    'a client whose registration fails is registered by hand and named by the option',
    ['${}; register this client there by hand, and give its id with the option client'],
  ],
  [
    'test/advices/library.test.ts',
    'a login without a way to its page gets one of those that are named',
    ['redirect must be given: loopback() of parley-mcp/node, popup(), page(), or a function with redirectUri'],
  ],
  [
    'test/advices/library.test.ts',
    'a method of an extension is declared by the named options, at both ends',
    ['${} belongs to the extension ${}, which is not declared: give it to connect in `extensions`'],
  ],
  [
    'test/advices/library.test.ts',
    'a resource with a template is defined by the named function',
    ['resource ${} is a template of URIs; define it with resourceTemplate'],
  ],
  [
    'test/advices/library.test.ts',
    'a server that wants authorization is reached with the named option',
    [
      'it wants authorization, which the option `auth` gives',
      ': it wants authorization, which the option `auth` gives',
    ],
  ],
  [
    'test/advices/library.test.ts',
    'credentials of another scheme are given by the named option',
    [
      "${} wants the authentication ${}, which is not OAuth's: give its credentials with the option headers",
      'auth makes the header authorization, which the URL or the option headers has too: give one of them',
    ],
  ],
  [
    'test/advices/library.test.ts',
    'roots that a server was not told of are given by the named option',
    ['roots were not declared: give `roots` to connect'],
  ],
  [
    'test/advices/library.test.ts',
    'sessions that were ended for want of places live on with the named options',
    ['maxUpstreams (--max-upstreams)', 'maxUpstreamsPerClient (--max-upstreams-per-client)'],
  ],
  [
    'test/advices/library.test.ts',
    'the text of an error reaches a client by the named option',
    [', or set exposeErrors'],
  ],
];
