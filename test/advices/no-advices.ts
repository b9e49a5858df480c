/** Texts that look like an advice, and are none. */

/** Texts that have a word of the command line, and advise nothing, by the reason. */
export const noAdvices: Readonly<Record<string, readonly string[]>> = {
  'a name in a store': ['parley login'],
  'a document of the example': [
    '# The Parley example\n\nAsk `forecast` for the weather of a city. Believe none of it.\n',
  ],
  'a part of a text that is looked for': ['--env '],
  'names the members that a file may have': ['${} has no "mcpServers" (or "servers") with servers by name${}'],
  'names the option that shows more': ['· ${} known trait${} of ${} (${}): --strict shows each'],
  'names the option whose limit was reached': [
    'the command took longer than ${} ms, the limit of --timeout',
    'not asked: the time of --timeout was over',
  ],
  'names the option that is wrong': ['--only: ${}${}'],
  'says how the process was started, and that is what the person wanted': [
    'tools are not called: this was started with --read-only',
    '${} not called: this was started with --read-only',
    'Started with --read-only: the tool of the app is not called.',
    'Started with --read-only: requests that may change something are refused.',
    'started with --read-only',
  ],
  'says to a server what this client does': ['parley explain answers nothing but ping'],
  'says what cannot be written as a line': ['no line of parley call has a tool whose name is ${}'],
  'says what ended, to nobody who could do something': ['parley inspect ends'],
  'says what the specification says': [
    'the page on tools wants a result with isError, and the schema says in a comment that wrong arguments are answered with -32602',
  ],
  'says what was not done': [
    '\n${} kinds of messages, ${} in all to a server that offers what "parley example" does; nothing was sent to yours\n',
  ],
  'says where the result is': ['the server answered at once: there is no task; `result` has the answer'],
  'says which address is wrong': ['--trusted-proxy has'],
  'says which client does not fit, and nothing that would': [
    'the option client is for ${}, and the server has the authorization server ${}: nothing is sent to it',
    '--client-id is for',
  ],
  'says which issuer does not fit, and nothing that would': ['none of which is that of --issuer'],
  'stands behind the name of an option, and is in `lines.ts` with it': [
    'is for the check of a server, and --client checks a client',
  ],
  'the name of a variable of CSS': ['--${}-size'],
  'the label of a button': ['as parley call'],
  'the name of a program in a file': ['parley inspect'],
  'the name of an option, which a program puts together': ['--${}'],
  'the page of an app': [
    '<!doctype html><html lang="en"><head><meta charset="utf-8"><title>App of parley check</title></head><body><p id="seen">This app looks at its host.</p><script>\n(() => { ${} })();\n</script></body></html>',
  ],
  'the page that shares the messages': [
    '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n<meta name="viewport" content="width=device-width">\n<meta http-equiv="content-security-policy" content="default-src \'none\'; style-src \'unsafe-inline\'">\n<title>Messages of ${}</title>\n<style>${}</style>\n</head>\n<body>\n<h1>MCP messages</h1>\n<ul>${}</ul>\n<p>${} messages${}, recorded by parley inspect ${}. Secrets are masked.</p>\n${}\n</body>\n</html>\n',
  ],
  'the reason of a cancellation': ['parley check'],
};
