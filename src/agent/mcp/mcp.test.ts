import assert from 'node:assert/strict'
import { existsSync, globSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { describe, test } from 'node:test'
import { fileURLToPath, pathToFileURL } from 'node:url'
import type { McpServer } from '@agentclientprotocol/sdk'
import { startMcpServer } from '#test/harness/interns/mcp-http-server.ts'
import {
  defaultSandbox,
  missingSandbox,
  modelWithResponses,
  newAgent,
  realShell,
  sandboxMethods,
} from '#test/harness/interns/scripted-agent.ts'
import { pixel } from '#test/mcp/tools.ts'

const root = fileURLToPath(new URL('../../..', import.meta.url))
const secret = 'secret-of-the-tools'
const missing = await realShell().sandboxError('/tmp')
const skip = missing ?? false
// The server's files are outside the workspace, so the sandbox must make them readable, like a toolchain.
const shell = realShell({}, { ...defaultSandbox, readable: [root] })

const command = (more: object = {}): McpServer => ({
  name: 'tools',
  command: process.execPath,
  args: [join(root, 'test/mcp/stdio-server.ts')],
  env: [{ name: 'TOOLS_SECRET', value: secret }],
  ...more,
})
const inSeconds = (timeout_seconds: number) => ({ _meta: { signalbox: { timeout_seconds } } })
const remote = (
  url: string,
  type: 'http' | 'sse' = 'http',
  path = `/${type === 'http' ? 'mcp' : 'sse'}`,
): McpServer => ({
  type,
  name: 'tools',
  url: url + path,
  headers: [{ name: 'X-Token', value: secret }],
})

/** An agent whose model makes these calls, one per request, and then answers `done`. */
async function calling(servers: McpServer[], calls: [name: string, input?: object][], more: object = {}) {
  const script = calls.map(([name, input = {}]) => [{ name, arguments: JSON.stringify(input) }])
  const { model, requests } = modelWithResponses([...script, 'done'])
  const settings = { model: 'm', instructions: () => '', maxSteps: 50 }
  const at = await newAgent({ model, settings, shell, mcpServers: servers, ...more })
  await at.prompt('go')
  return Object.assign(at, { requests })
}
const toolsOf = ({ tools }: { tools: { name: string }[] }) =>
  tools.map(({ name }) => name).filter((name) => name.startsWith('tools__'))

for (const [kind, servers] of Object.entries({
  stdio: async () => ({ server: command(), [Symbol.asyncDispose]: async () => {} }),
  http: async () => Object.assign(await startMcpServer(secret), {}),
  sse: async () => Object.assign(await startMcpServer(secret), {}),
}))
  describe(`a server over ${kind}`, { skip: kind === 'stdio' && skip }, () => {
    const start = async () => {
      const started = await servers()
      const server = 'server' in started ? started.server : remote(started.url, kind as 'http')
      return { server, [Symbol.asyncDispose]: () => started[Symbol.asyncDispose]() }
    }

    test('lists and calls tools with consent, and returns results, errors and resources', async () => {
      await using there = await start()
      await using at = await calling(
        [there.server],
        [['tools__add', { a: 2, b: 3 }], ['tools__fail'], ['tools__add', { a: 'x' }], ['tools__draw'], ['tools__gone']],
      )
      assert.ok(toolsOf(at.requests[0]!).includes('tools__add'))
      assert.equal(at.permissionRequests[0]?.toolCall.kind, 'other')
      assert.deepEqual(at.permissionRequests[0]?.toolCall.rawInput, { a: 2, b: 3 })
      assert.deepEqual(at.operations(), ['tools__add', 'tools__fail', 'tools__add', 'tools__draw'])
      const [sum, failure, wrong, drawing, unknown] = at.results()
      assert.equal(sum, '5')
      assert.equal(failure, 'Error: no such issue')
      assert.match(wrong ?? '', /^Error: .*a.*expected number/s)
      assert.match(drawing ?? '', /^A pixel:\n\[image: image\/png, \d+ bytes\]\n\[audio: .*\]\nnote:\/\/1:\nA note\.$/)
      assert.match(unknown ?? '', /^Error: Unknown tool tools__gone/)
    })

    test('asks the user by a form and by a page, also before a call', async () => {
      await using there = await start()
      const calls: [string][] = [['tools__ask'], ['tools__show'], ['tools__visit']]
      await using at = await calling([there.server], calls, { form: { region: 'eu' } })
      assert.deepEqual(at.results(), ['{"action":"accept","content":{"region":"eu"}}', '{"action":"accept"}', '"paid"'])
      const messages = at.forms.map((form) => (form as { message: string }).message)
      const pageText =
        'The MCP server tools asks: Pay the invoice.\n\nOpen https://pay.example/1 and accept when you are done.'
      assert.deepEqual(messages, ['The MCP server tools asks: Which region?', pageText, pageText])
    })

    test('learns that the user declined', async () => {
      await using there = await start()
      await using at = await calling([there.server], [['tools__ask'], ['tools__visit']])
      assert.equal(at.results()[0], '{"action":"decline"}')
      assert.match(at.results()[1]!, /^Error: .*The user did not open the page that the server tools needs\./)
    })

    test('gets no answer of the model, and the workspace as root only if it runs beside it', async () => {
      await using there = await start()
      await using at = await calling([there.server], [['tools__sample'], ['tools__roots']])
      assert.match(at.results()[0]!, /does not let MCP servers use its model/)
      const root = [{ uri: pathToFileURL(at.workspace).href, name: basename(at.workspace) }]
      assert.deepEqual(JSON.parse(at.results()[1]!), kind === 'stdio' ? root : null)
    })

    test('cannot reveal its credential in its output', async () => {
      await using there = await start()
      await using at = await calling([there.server], [['tools__secret']])
      assert.deepEqual(at.results(), ['It is ********.'])
    })

    test('that does not answer in time loses the call and stays connected', async () => {
      await using there = await start()
      const server = { ...there.server, ...inSeconds(2) } as McpServer
      await using at = await calling([server], [['tools__dawdle'], ['tools__add', { a: 1, b: 1 }]])
      assert.match(at.results()[0] ?? '', /^Error: The server tools did not finish within 2 s/)
      assert.equal(at.results()[1], '2')
    })

    test('keeps a call alive by progress beyond its timeout', async () => {
      await using there = await start()
      const calls: [string, object][] = [['tools__work', { reports: 12, everyMs: 250 }]]
      await using at = await calling([{ ...there.server, ...inSeconds(2) } as McpServer], calls)
      assert.deepEqual(at.results(), ['worked'])
    })

    test('whose tools changed is asked for the new list at the next prompt', async () => {
      await using there = await start()
      await using at = await calling([there.server], [['tools__grow']])
      await at.prompt('again')
      assert.ok(!toolsOf(at.requests[0]!).includes('tools__grown'))
      assert.ok(toolsOf(at.requests.at(-1)!).includes('tools__grown'))
    })
  })

for (const [name, sandbox] of Object.entries(sandboxMethods)) {
  const lacking = (await realShell({}, sandbox).sandboxError(root)) ?? false
  test(`a server runs in the sandbox of ${name}, and has its credential`, { skip: lacking }, async () => {
    const own = realShell({}, { ...sandbox, readable: [root] })
    const env = [{ name: 'TOOLS_SECRET', value: "a'\\\nb" }]
    await using at = await calling([command({ env })], [['tools__secret']], { shell: own })
    assert.deepEqual(at.results(), ["It is a'\\\nb."])
  })
}

test('the library is loaded with the first server, not before', () => {
  const sources = globSync('src/**/*.ts', { cwd: root }).filter((file) => !file.endsWith('.test.ts'))
  const early = sources.filter((file) =>
    /^(?:import|export) (?!type ).*from '@modelcontextprotocol/m.test(readFileSync(join(root, file), 'utf8')),
  )
  assert.deepEqual(early, [])
})

test('a rejected call is not sent', { skip }, async () => {
  const permission = () => 'reject_once'
  await using at = await calling([command()], [['tools__write', { path: 'made' }]], { permission })
  assert.match(at.results()[0] ?? '', /did not allow this call/)
  assert.equal(existsSync(join(at.workspace, 'made')), false)
})

test('a session permission applies to the tool as approved, not after a change', { skip }, async () => {
  const permission = () => 'allow_always'
  await using at = await calling([command()], [['tools__pay'], ['tools__pay'], ['tools__turn']], { permission })
  assert.deepEqual(at.operations(), ['tools__pay', 'tools__turn'])
  at.requests.length = 0
  await at.prompt('again')
  assert.deepEqual(at.operations(), ['tools__pay', 'tools__turn', 'tools__pay'])
})

test('a tool that was rejected for the session stays rejected after a change', { skip }, async () => {
  const permission = ({ toolCall }: { toolCall: { name?: string | null } }) =>
    toolCall.name === 'tools__pay' ? 'reject_always' : 'allow_once'
  await using at = await calling([command()], [['tools__pay'], ['tools__turn']], { permission })
  at.requests.length = 0
  await at.prompt('again')
  assert.deepEqual(at.operations(), ['tools__pay', 'tools__turn', 'tools__turn'])
})

test('images are sent to a model that accepts them, and omitted for others', { skip }, async () => {
  for (const sees of [true, false]) {
    await using at = await calling([command()], [['tools__draw']], { checkImageInput: async () => sees })
    const { messages } = at.requests[1]!
    const result = messages.find((message) => message.role === 'tool')
    assert.deepEqual(
      result?.role === 'tool' && result.images,
      sees ? [{ mimeType: 'image/png', data: pixel }] : undefined,
    )
    assert.equal(/1 images omitted: the model takes no images/.test(result?.text ?? ''), !sees)
  }
})

test('server output is cut to the part that the model can see', { skip }, async () => {
  await using at = await calling([command()], [['tools__flood', { bytes: 2_000_000 }]])
  const text = at.results()[0] ?? ''
  assert.ok(text.length < 62_000 && /bytes omitted/.test(text))
})

describe('a server that is a command', { skip }, () => {
  test('a server in manual mode runs in the sandbox and sees only the workspace', async () => {
    await using at = await calling(
      [command()],
      [
        ['tools__write', { path: 'made' }],
        ['tools__read', { path: join(root, '../../../etc/hostname') }],
        ['tools__read', { path: '/etc/shadow' }],
      ],
    )
    assert.ok(existsSync(join(at.workspace, 'made')))
    for (const result of at.results().slice(1)) assert.match(result, /ENOENT/)
  })

  test('can read the paths of its setting, and names a path that it lacks', async () => {
    const bare = { shell: realShell() }
    await using without = await calling([command()], [], bare)
    const system = without.requests[0]?.messages[0]?.text ?? ''
    assert.match(system, /The sandbox does not show \/.+ to the server: add its folder to "readable"/)
    const readable = { _meta: { signalbox: { readable: [root] } } }
    await using at = await calling([command(readable)], [['tools__add', { a: 1, b: 1 }]], bare)
    assert.deepEqual(at.results(), ['2'])
  })

  test('hides its credential from shell commands', async () => {
    const look = `cat /proc/*/environ /proc/*/cmdline | tr '\\0' '\\n' | grep -c ${secret.replace('-', '[-]')}`
    await using at = await calling(
      [command()],
      [
        ['tools__add', { a: 1, b: 1 }],
        ['shell', { command: look }],
      ],
    )
    assert.match(at.results()[1] ?? '', /^0\n\[exit code 1\]/)
  })

  test('that dies is reported with its last output and restarted by the next call', async () => {
    await using at = await calling([command()], [['tools__die'], ['tools__add', { a: 1, b: 1 }]])
    assert.match(
      at.results()[0] ?? '',
      /^Error: The server tools has ended: it exited with code 3.*asked to die.*started again/s,
    )
    assert.equal(at.results()[1], '2')
  })

  test('a server that ends at an unknown first message is started in the older way', async () => {
    const strict = `const { spawn } = require('node:child_process')
      process.stdin.once('data', (first) => {
        if (!String(first).includes('"initialize"')) process.exit(1)
        const child = spawn(process.execPath, process.argv.slice(1), { stdio: ['pipe', 'inherit', 'inherit'] })
        child.stdin.write(first)
        process.stdin.pipe(child.stdin)
      })`
    const server = command({ args: ['-e', strict, join(root, 'test/mcp/stdio-server.ts')] })
    await using at = await calling([server], [['tools__add', { a: 1, b: 1 }]])
    assert.equal(at.results()[0], '2')
  })

  test('that hangs is ended and started again', async () => {
    const server = command(inSeconds(3))
    await using at = await calling([server], [['tools__hang'], ['tools__add', { a: 1, b: 1 }]])
    assert.match(at.results()[0] ?? '', /^Error: The server tools did not respond within 3 s, and hangs/)
    assert.equal(at.results()[1], '2')
  })

  test('that ends repeatedly is not restarted after five starts', async () => {
    const dies = Array.from({ length: 6 }, (): [string] => ['tools__die'])
    await using at = await calling([command()], dies)
    assert.match(at.results()[4] ?? '', /has ended/)
    assert.match(
      at.results()[5] ?? '',
      /was started 5 times within 10 minutes and is not started again for now\. Its last failure: it exited/,
    )
  })

  test('a server that cannot start is reported to the model, and the turn continues', async () => {
    await using at = await calling([command({ command: 'no-such-program' })], [])
    assert.match(
      at.requests[0]?.messages[0]?.text ?? '',
      /tools of a server are not available now.*The server tools cannot be reached: it exited with code 127: .*no-such-program/,
    )
    assert.match(at.text(), /done/)
  })

  test('is not started without a sandbox, unless the operator allows it or in self-drive', async () => {
    const callTool = async (more: object) => {
      await using at = await calling([command()], [], more)
      return [toolsOf(at.requests[0]!).length > 0, at.requests[0]?.messages[0]?.text ?? ''] as const
    }
    const [has, why] = await callTool({ shell: realShell({}, missingSandbox) })
    assert.equal(has, false)
    assert.match(why, /cannot be reached: .*sandbox/)
    for (const more of [
      { shell: realShell({}, missingSandbox, 'consent') },
      { shell: realShell({}, missingSandbox), mode: 'self-drive' },
    ]) {
      const [started, reason] = await callTool(more)
      assert.ok(started, reason)
    }
  })

  test('moves into the sandbox when a prompt in manual follows one in self-drive', async () => {
    await using at = await calling([command()], [['tools__read', { path: '/etc/hostname' }]], { mode: 'self-drive' })
    assert.doesNotMatch(at.results()[0] ?? '', /ENOENT/)
    await at.agent.request('session/set_mode', { sessionId: at.sessionId, modeId: 'manual' })
    at.requests.length = 0
    await at.prompt('again')
    assert.match(at.results().at(-1) ?? '', /ENOENT/)
  })
})

describe('a server behind a URL', () => {
  test('that refuses the credential is reported without the credential', async () => {
    await using there = await startMcpServer('another-token')
    await using at = await calling([remote(there.url)], [])
    const callTool = at.requests[0]?.messages[0]?.text ?? ''
    assert.match(
      callTool,
      /The server tools cannot be reached: .*401.*headers of this server.*"authorization" with "Bearer/s,
    )
    assert.ok(!callTool.includes(secret))
    const header = { name: 'Authorization', value: secret }
    await using expired = await calling([{ ...remote(there.url), headers: [header] } as McpServer], [])
    const then = expired.requests[0]?.messages[0]?.text ?? ''
    assert.match(then, /refused the header "authorization" \(401\): the token is wrong or has expired/)
    assert.ok(!then.includes(secret))
  })

  test('that fails at the request for its version gets the older handshake', async () => {
    await using server = await startMcpServer(secret, { discoverStatus: 500 })
    await using at = await calling([remote(server.url)], [['tools__add', { a: 1, b: 2 }]])
    assert.deepEqual(at.results(), ['3'])
  })

  test('that refuses both handshakes is reported with its status', async () => {
    await using server = await startMcpServer(secret)
    await using at = await calling([remote(server.url, 'http', '/messages')], [])
    assert.match(JSON.stringify(at.requests[0]), /cannot be reached: it returned the HTTP status 404: unknown session/)
  })

  test('that is unreachable is reported', async () => {
    const closed = await startMcpServer(secret)
    await closed[Symbol.asyncDispose]()
    await using at = await calling([remote(closed.url)], [])
    const system = at.requests[0]?.messages[0]?.text ?? ''
    assert.match(system, /The server tools cannot be reached: connect ECONNREFUSED 127\.0\.0\.1:\d+\./)
  })

  test('is not followed to another place', async () => {
    await using there = await startMcpServer(secret)
    await using at = await calling([remote(there.url, 'http', '/elsewhere')], [])
    assert.match(at.requests[0]?.messages[0]?.text ?? '', /cannot be reached: .*redirect/is)
  })

  for (const status of [404, 400])
    test(`that lost the session and answers ${status} gets the call in a new one`, async () => {
      await using there = await startMcpServer(secret)
      await using at = await calling([remote(there.url)], [['tools__add', { a: 1, b: 1 }]])
      there.forget(status)
      at.requests.length = 0
      await at.prompt('again')
      assert.deepEqual(at.results(), ['2', '2'])
    })

  test('that lost the session of its event stream gets the call in a new one', async () => {
    await using there = await startMcpServer(secret)
    await using at = await calling([remote(there.url, 'sse', '/sse')], [['tools__add', { a: 1, b: 1 }]])
    there.forget()
    at.requests.length = 0
    await at.prompt('again')
    assert.deepEqual(at.results(), ['2', '2'])
  })

  test('that fails without a JSON-RPC answer is reported with its status and text', async () => {
    await using there = await startMcpServer(secret)
    await using at = await calling([remote(there.url)], [['tools__add', { a: 1, b: 1 }]])
    there.forget(503)
    at.requests.length = 0
    await at.prompt('again')
    const failure = 'returned the HTTP status 503: unknown session. Whether the call did anything is unknown.'
    assert.equal(at.results().at(-1), `Error: The server tools ${failure}`)
  })
})
