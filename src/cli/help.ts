import { newestRevision, revisions } from '../protocol/revision.ts';

const oldest = revisions[0]?.date;

const reaching = `  --header 'Name: value'    sent with every request to a server at a URL; repeatable, never printed
  --env NAME[=value]        a variable for a server that a command starts; NAME alone passes yours on.
                            Beside PATH, HOME and their like it gets nothing else of your environment`;

const signingIn = `  --scope <scopes>          what to ask for beside what the server wants; repeatable
  --client-id <id>          a client that was registered by hand; needs --issuer
  --client-secret-env NAME  the variable that has its secret
  --client-metadata-url <url> the document that describes the client, where the authorization server takes one
  --issuer <url>            the only authorization server that may be used
  --redirect-port <n>       the port of this machine to come back to; one of three by default
  --no-browser              prints the page to open, and reads the address at which it ended; assumed over SSH
  --account <name>          keeps several accounts apart
  --no-resource-parameter   for authorization servers that refuse the parameter resource (Entra)
  --as-metadata '{…}'       what the authorization server of --issuer does not say of itself
  --dpop                    only with tokens that are bound to a key
  --login-timeout <s>       how long a person may take; 600, and 300 where a call of a bridge waits
  --network-allow <host>    an authorization server inside your network, where the server is not; repeatable`;

const authorized = `  --login auto|never|always whether you may be asked to sign in where the server wants that: at a terminal (auto), and
                            in a bridge on standard input and output; what parley login kept is used in any case
  --token-env NAME          the variable that has a token; --token-file <file>: the file, read for each request
  beside them those of parley login: --scope, --client-id, --issuer, --account and the others`;

const general = `parley — MCP in every revision, ${oldest} to ${newestRevision.date}

  parley bridge (<url> | -- <command>…)          one endpoint in front of any server, for clients of any revision
  parley bridge --config <file>                  the same in front of all servers that a file of a host names
  parley call (<url> | -- <command>…) [<tool>…]  lists what a server offers, or calls a tool
  parley tasks get|wait|answer|cancel <reference>  takes up what parley call --task began; list <url>
  parley explain (<url> | -- <command>…)         says which revisions a server speaks, and how that is known
  parley check (<url> | -- <command>…)           judges a server by the specification, at every revision that it speaks
  parley inspect (<url> | -- <command>…)         shows what a server offers and what crosses the wire, in the browser
  parley login <url>                             signs in at a server, for call and bridge; logout, whoami
  parley example                                 serves a small example server on standard input and output
  parley start                                   the bridge in front of the example server
  parley help <command>                          says more
  parley --version

Where it is not installed: npx parley-mcp <command>.

Exit codes: 0 it worked, 1 it failed, 2 the command line makes no sense.
`;

const bridgeOptions = `  --port <n>                HTTP: the port, 0 for any free one; $PORT or 3000
  --host <address>          HTTP: the address to bind to; $HOST or 127.0.0.1
  --path <path>             HTTP: the path of the endpoint; /mcp
  --allow-host <name>       HTTP: a name that clients may call it by, beside localhost and --host; repeatable
  --allow-origin <origin>   HTTP: a web page's origin that may connect, beside those on localhost; repeatable
  --trusted-proxy <address> HTTP: a proxy that is believed when it says for whom it asks, or a range of them such as
                            10.0.0.0/8; repeatable. Limits by address then go by clients. Without it nobody is believed
  --proxy-header <name>     HTTP: the header in which it says that, and no other: x-forwarded-for or forwarded
  --health                  answers /livez and /readyz, for a platform that asks how the bridge is
  --ready-ms <n>            when it is to end: serves on so long while /readyz says 503; 0
  --drain-ms <n>            then gives running calls so long; 10000
  --stdio                   serves one client on standard input and output, and ends with its input
  --revision <date>         speaks only this revision to clients; repeatable
  --upstream-revision <date> speaks only this revision to the server; repeatable
  --max-upstreams <n>       how many processes or sessions upstream there may be at once; 64. The least recently used idle
                            one makes way for a new client: a session that made calls by it ends with 404, which is
                            said here, and its client has to begin anew; where all are in use a client is told to try later
  --max-upstreams-per-client <n> how many of them one address may have; half
  --limit [<what>=]<n>/s    how often each client may ask: requests, or tools (calls), completions, initialize (sessions);
                            by the second, minute (/m) or hour (/h), and so many at once; repeatable
  --redis <url>             shares rounds and suspended calls with other processes that have the same Redis; better
                            $PARLEY_REDIS_URL, since everybody on this machine can read arguments. It needs the package
                            ioredis, and $PARLEY_KEYS: keys of 32 bytes in base64 that seal what is kept, the newest first
  --redis-name <name>       keeps several services in one Redis apart; parley
  --otel                    gives spans and metrics to OpenTelemetry. Parley brings none of it: it takes the SDK that a module
                            of yours has registered before. For spans that go to a collector at http://localhost:4318:
                              npm install parley-mcp @opentelemetry/api@1.9 @opentelemetry/sdk-trace-node@2 \\
                                @opentelemetry/exporter-trace-otlp-http@0.223
                              NODE_OPTIONS="--import ./telemetry.mjs" node_modules/.bin/parley bridge --otel …
                            docs/observability.md has the five lines of telemetry.mjs, and what gives metrics
  --otel-trust <how>        goes on with the traces of clients (parent, the default), or links them (link), for clients that
                            are to choose neither ids nor what is sampled; what the server sends goes on with the trace of
                            the call
`;

const bridge = `parley bridge [options] <url>
parley bridge [options] -- <command> [<argument>…]
parley bridge [options] --config <file>

Puts one endpoint in front of a server, at a URL or started by a command. Clients of every revision can use it,
whatever revision the server speaks. It serves HTTP, or with --stdio standard input and output.

${bridgeOptions}${reaching}
${authorized}

  --config <file>           makes one of several servers: those that the file names
  --prefix <where>          with --config: names are server__name where servers use the same one (collisions, the
                            default), or always
  --config-errors <what>    with --config: when an entry is wrong, run the rest (skip, the default), or nothing (fail)

A server that was used once with a login is there at once the next time, whatever became of the login: the call that
needs one asks for it, by the client where that can show pages and else by one page in your browser, and goes on after
it. With --login never it fails at once, and says which command signs in.

The file is what hosts keep their servers in: {"mcpServers": {"name": {…}}}, or "servers" for "mcpServers". It is JSON,
and may have comments and trailing commas. An entry starts a server ("command", "args", "env", "envFile", "cwd") or names
one that runs ("url", "headers", and "type": "sse" for the older transport). \${NAME} stands for a variable of the
environment; in "args" a variable that "env" sets is left to the program. "disabled": true or "enabled": false leaves an
entry out; "disabledTools", "includeTools" and their like choose tools; "sharing": "shared" has all clients use one connection, on which servers before ${newestRevision.date} can ask nobody;
"revisions": […] are the revisions spoken to it. A server that is not reached is tried again and again, and joins later.

With --config each server at a URL uses the login that is kept for it; of the options above --login, --account,
--login-timeout and --network-allow are for all of them. "headers" with Authorization are sent as they are. "oauth" says
the rest: {"clientId", "clientSecret" or "clientSecretEnv", "issuer", "scopes", "callbackPort", "account", …} for a client
that was registered by hand, and with "grantType": "client_credentials" for a machine, which has a secret, or a key in
"privateKeyFile" or "privateKeyEnv". "oauth": false signs nobody in. docs/authorization.md lists all of it.

A bridge that other machines can reach answers only to names that are allowed: without --allow-host a request is
refused, which keeps web pages from reaching it by names of their own.

  parley bridge -- npx -y @modelcontextprotocol/server-everything
  parley bridge --stdio https://mcp.example.com/mcp --header 'Authorization: Bearer …'
  parley bridge --stdio --config servers.json
`;

const call = `parley call [options] <url> [<tool> [<name>=<value>…]]
parley call [options] --config <file> <server> [<tool> [<name>=<value>…]]
parley call [options] -- <command> [<argument>…] [-- <tool> [<name>=<value>…]]
parley call [options] <tool> [<name>=<value>…] -- <command> [<argument>…]

Without a tool, lists the tools, resources and prompts of a server. With one, calls it and prints the result;
progress and log messages go to standard error; of a call that the server makes a task of, its progress alone. A
tool that fails gives exit code 1.

  <name>=<value>      an argument; the tool's input schema says whether the value is text, or JSON such as 3 or [1,2]
  --json '{…}'        all arguments at once; single ones are added to it
  --json              prints JSON, the whole of it
  --config <file>     the server is one of the "mcpServers" of a file, reached and authorized as its entry says
  --revision <date>   speaks only this revision; repeatable
  --timeout <ms>      the longest time for the whole command: to connect, to list the tools, and to call one. The time in
                      which you are asked does not count. By default each answer has 60000, anew with each progress
  --task              calls it as a task, and waits: with a bar at a terminal, where what it asks can be answered too.
                      Ctrl-C leaves it to the server, and prints how to take it up again; twice cancels it
  --detach            with --task: waits for nothing, and prints the reference of the task, which parley tasks takes
  --ttl <ms>          with --task, within 2025-11-25: how long the server should keep the task
${reaching}
${authorized}

Every word after -- is part of the command. The tool stands before --, or after a second one. If the command holds a
-- of its own, put the tool first, or end the command with one more --: the last -- counts.

  parley call http://127.0.0.1:3000/mcp
  parley call http://127.0.0.1:3000/mcp add a=1 b=2
  parley call --config servers.json files read path=a.txt
  parley call add a=1 b=2 -- node server.js
  parley call -- node server.js stdio -- add a=1 b=2
  parley call --task http://127.0.0.1:3000/mcp countdown from=20
`;

const tasks = `parley tasks get [options] <reference> [<server>]
parley tasks wait [options] <reference> [<server>]
parley tasks answer [options] <reference> [<server>] [<name>=<value>…]
parley tasks cancel [options] <reference> [<server>]
parley tasks list [options] <server>

Takes up a task that parley call --task began: says how it stands, waits for its result, answers what it asks, cancels
it. A reference is the JSON that --detach and Ctrl-C print, between single quotes, or - to read it from standard input.
It holds no login and no token, but where a server knows nobody, whoever has it can see and cancel the task.

The server is the one that the reference names, where that is at a URL; else, or where more than its path is needed,
<url>, -- <command>…, or --config <file> <name>. A server that a command starts ends with the command, and its tasks
with it, unless it keeps them elsewhere. list shows the tasks of whoever asks, at servers of 2025-11-25 that list them.

  <name>=<value>      answer: what is filled in; without any, you are asked at a terminal
  --json '{…}'        answer: all values at once
  --key <key>         answer: the question that is meant, where there are several
  --action <action>   answer: accept (the default), decline or cancel
  --json              prints JSON
  --config <file>     the server is one of the "mcpServers" of a file
  --revision <date>   speaks only this revision; repeatable. That in which the task began by default
  --timeout <ms>      the longest time for the whole command; the task goes on. The time in which you are asked does not
                      count. By default each answer has 60000
${reaching}
${authorized}

  task=$(parley call --task --detach http://127.0.0.1:3000/mcp countdown from=20)
  parley tasks get "$task"
  echo "$task" | parley tasks wait -
`;

const inspect = `parley inspect [options] [<url>]
parley inspect [options] -- <command> [<argument>…]
parley inspect [options] --config <file> [--server <name>]
parley inspect --open <file>

Serves a page on this machine, and opens it: everything that a server offers, to be used, every message that crosses, and
what a client of another revision would get of it. The address has a token of this run; nobody else gets in.

  --revision <date>|auto    the revision to begin with; the newest that the server speaks (auto)
  --record <file>           keeps everything that crosses, without secrets, also what leaves memory
  --open <file>             shows what --record kept, or what was saved in the page
  --watch[=<folder>]        starts the server of the command anew when files of the folder change, that of its script by
                            default; node_modules and what begins with a dot are not looked at, but for .env
  --read-only               calls no tool
  --port <n>                the port; any free one
  --no-open                 prints the address, and opens no browser; assumed over SSH
${reaching}
${authorized}

  parley inspect -- node server.js
  parley inspect https://mcp.example.com/mcp
`;

const explain = `parley explain [options] <url>
parley explain [options] -- <command> [<argument>…]
parley explain [options] --config <file>

Connects to a server as a client of each revision would, and says which revisions it speaks and which answer proved it,
what it offers, what it does with tasks, and what a client of each revision would get and lose through the bridge. It calls no tool, reads no
resource and gets no prompt. Each revision is tried in a connection of its own. A command is started once for each revision:
first it is asked initialize, and if it ends then, it is not started again.
What is no evidence (authorization that is wanted, an overloaded server, silence) is said to be none.

Of a server that wants authorization it prints the challenge, the metadata of the resource and of its authorization
servers and where they were looked for, the ways to register there, whether a client of each revision finds them, and
each rule that they break with what clients do about it. It signs nobody in, keeps nothing, and sends --header nowhere
but to the server itself. The rules at which clients stop are marked: stop.

  --config <file>     explains each of the "mcpServers" of a file in turn
  --wire              prints what travelled too: the JSON, and over HTTP statuses and the headers of the protocol
  --json              prints JSON; with --config, a list
  --timeout <ms>      the longest wait for each answer, and for all lists; 60000, and 10000 where silence is likely. A
                      server that never answers takes it once for each revision
${reaching}

The exit code is 1 when no revision of a server works; the report is printed all the same.

  parley explain https://mcp.example.com/mcp
  parley explain --wire -- npx -y @modelcontextprotocol/server-everything
`;

const check = `parley check [options] <url>
parley check [options] -- <command> [<argument>…]
parley check --client [--auth] [options] [-- <command> [<argument>…]]

Judges a server by what can be seen from outside of the statements of the specification, at every revision that it speaks,
with right and wrong messages. It calls no tool but those of --calls. Each wrong message has a right twin that must work first, and what is
found broken is looked at once more: what is printed is meant to be a fault of the server. What a server does not offer, and
a revision that it does not speak, are no faults. A command is started for each revision and for each row that needs a process
of its own, 40 times at most; the report says how often. If it ends at once or at initialize, it is not started again.

  --revision <date>   judges this revision alone; repeatable
  --only <row|area>   judges one row, such as basic-018, or those of an area, such as http; repeatable
  --calls <a,b>       tools that may be called, several times and with wrong arguments; one that has destructiveHint as b!;
                      the name of one in another case is called where it is named too (a,A), and should be that of none
  --args <file>       their arguments, as {"a": {…}}; made of examples and defaults of their schemas where they are left out
  --heavy             sends a message of 100 MB too, and over HTTP opens 500 connections whose requests do not end, and listens to
                      streams for 24 times --timeout, two minutes by default
  --dry-run           prints what would be sent, and sends nothing: the example of Parley stands in for the server
  --strict            a SHOULD that is not followed fails too, and so does what is stale in the baseline
  --json              prints JSON, with every row
  --junit             prints JUnit XML: a suite for each revision and area, a case for each row
  --json-to <file>    writes the JSON to a file, beside what is printed; --junit-to <file> the JUnit XML
  --sarif <file>      writes SARIF 2.1.0 too; --sarif-file <path> is the file of your repository that its findings point at,
                      by default the script of the command
  --baseline <file>   findings that are known, which fail nothing; --write-baseline writes those of this run to it
  --verbose           prints every row
  --timeout <ms>      the longest wait for an answer; 5000
${reaching}
  --token-env NAME    the variable that has a token for the server; --token-file <file>; else what parley login kept (--account)
  --other-token-env NAME    the token of somebody else for the same server, who must not get into your sessions
  --foreign-token-env NAME  a token of the same issuer for another server, which must be refused

With --client it is a server of every revision that waits for a client, says what to do with it, and judges that: what it
says on its own, and what it makes of empty cursors, rounds, tasks, lost sessions, headers and references to the network. The
command is that of the client, which finds the address in PARLEY_CHECK_URL, and in its arguments in the place of {url}.

  --client            judges a client
  --port <n>          the port of this machine to listen at; any by default
  --stdio             speaks on standard input and output, for a client that starts its server; reports on standard error
  --relay             the same for a server that dies while it is used: says by which command your client is to start it, which the command
                      of the client finds in PARLEY_CHECK_COMMAND, as a list in JSON, and in its arguments in the place of {command}
  --wait <seconds>    the longest time until all is done; 600
  --auth              judges how it is authorized: 18 servers and their authorization servers, right and wrong ones, to each of which
                      it is to connect, and call the tools in their order; the command is started for each (PARLEY_CHECK_SCENARIO)

Exit codes: 0 nothing is broken, 1 a MUST is, 2 the command line makes no sense, 3 it could not be judged.

  parley check http://127.0.0.1:3000/mcp
  parley check -- node server.js
  parley check --client -- node client.js {url}
  parley check --client --auth -- node client.js {url}
  parley check --client --relay -- node client.js {command}
`;

const example = `parley example

Serves a small server on standard input and output, with tools, resources and prompts of every kind.

  parley call -- parley example
  parley call forecast city=Oslo -- parley example
`;

const start = `parley start [options]

The bridge in front of the example server: something to connect to.

${bridgeOptions}`;

const login = `parley login [options] <url>

Signs in at a server: finds its authorization server, opens its page in your browser, and keeps what is granted for
parley call and parley bridge, renewed without asking. A login that it replaces is deleted; if another client or another
person signed in before, the old tokens are revoked too. Nothing secret is printed. The options of a login are used again
at the same server, unless an issuer or a client is named; parley logout deletes them.

  --device                  prints a page and a code to enter there, on any device (RFC 8628); never assumed, since whoever
                            talks somebody into entering a code of theirs is let in
${signingIn}

  parley login https://mcp.example.com/mcp
  parley login --no-browser https://mcp.example.com/mcp
  parley login --device https://mcp.example.com/mcp
`;

const logout = `parley logout [options] (<url> | --all)

Revokes all that was granted at a server, or at all of them, and deletes it. A URL without its query means each login
that whoami shows by it. The exit code is 1 when tokens could not be
revoked, which are forgotten here and valid until they expire, and when what is kept of a login cannot be read.

  --all             signs out everywhere, of every account
  --account <name>  the account that is meant; with --all, everywhere that one alone
  --forget-client   forgets too how this program was registered there, be anybody signed in or not
  --client-id, --client-secret-env, --issuer: the client, where it was registered by hand
`;

const whoami = `parley whoami [--json] [--account <name>] [<url>]

Says who is signed in where: account, authorization server, resource, subject, scopes, and until when. No token is
shown, and no query of a URL. The exit code is 1 when nobody is.
`;

const topics: ReadonlyMap<string, string> = new Map(
  Object.entries({ bridge, call, check, example, explain, inspect, login, logout, start, tasks, whoami }),
);

/** The help on a command, or on all of them; `undefined` when there is no such command. */
export function helpOn(command?: string): string | undefined {
  return command === undefined ? general : topics.get(command);
}
