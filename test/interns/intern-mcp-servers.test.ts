import assert from 'node:assert/strict'
import { readdirSync, readFileSync, renameSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { runCli } from '#cli/cli.ts'
import { newTestStore, onOneDatabase } from '../harness/database/databases.ts'
import { runningIntern, say, untilIntern } from '../harness/interns/interns.ts'
import { startTestService, type TestService } from '../harness/service/service.ts'

const secrets = ['mcp-env-secret-1', 'mcp-header-secret-2', 'mcp-query-secret-3']
const [inEnv, inHeader, inQuery] = secrets as [string, string, string]
const command = {
  ...{ name: 'files', command: 'files-server', args: ['-v'], env: { FILES_KEY: inEnv } },
  readable: ['/opt/files'],
}
const remote = {
  name: 'web',
  url: `https://web.example/mcp?key=${inQuery}`,
  headers: { Authorization: `Bearer ${inHeader}` },
}
const expected = [
  { ...command, type: 'stdio', env: { FILES_KEY: '********' }, timeout_seconds: 60 },
  {
    ...{ name: 'web', type: 'http', url: 'https://web.example/mcp?********', timeout_seconds: 60 },
    headers: { Authorization: '********' },
  },
]

const script = fileURLToPath(new URL('../../bin/scripted-agent.ts', import.meta.url))
const agents = { scripted: { command: process.execPath, args: [script, 'load', 'http'], env: {} } }

/** The tools that the agent of an intern gets. */
const offered = async (service: TestService, id: string) =>
  JSON.parse((await say(service, id, 'servers', { approval_mode: 'self-drive' })).text)

onOneDatabase('an intern with servers of tools', (kind) => {
  test('passes them to its agent with secrets that no answer, file or variable has', async () => {
    await using service = await startTestService({ kind, settings: { agents } as object })
    const intern = await runningIntern(service, { agent: 'scripted', mcp_servers: [command, remote] })
    await say(service, intern.id, 'say hello')
    const responses = await Promise.all([service.ask('GET', '/interns'), service.manage('GET', '/audit')])
    assert.deepEqual(intern.mcp_servers, expected)
    for (const { text } of responses) for (const secret of secrets) assert.ok(!text.includes(secret))
    assert.deepEqual(placesWith(service.testStore.settings.data_dir, secrets), [])

    const [first, second] = await offered(service, intern.id)
    assert.deepEqual(first.env, [{ name: 'FILES_KEY', value: inEnv }])
    assert.deepEqual([second.url, second.headers[0].value], [remote.url, `Bearer ${inHeader}`])
  })

  test('keeps masked values that are sent back, unless the server changed', async () => {
    await using service = await startTestService({ kind, settings: { agents } as object })
    const created = await service.ask('POST', '/interns', {
      body: { name: 'ada', agent: 'scripted', mcp_servers: [command, remote] },
    })
    assert.equal(created.status, 201, created.text)
    const change = (mcp_servers: object[]) => service.ask('PATCH', '/interns/ada', { body: { mcp_servers } })
    const [files, web] = expected as [object, object]
    assert.equal((await change([{ ...files, timeout_seconds: 5 }, web])).status, 200)
    for (const [moved, where] of [
      [{ ...web, url: 'https://thief.example/mcp' }, 'headers.Authorization'],
      [{ ...web, url: 'https://thief.example/mcp?********', headers: {} }, 'url'],
      [{ ...files, command: 'thief' }, 'env.FILES_KEY'],
      [{ ...files, env: { OTHER: '********' } }, 'env.OTHER'],
    ] as [object, string][]) {
      const { status, body } = await change([moved])
      assert.equal(status, 400)
      assert.match(body.error.message, new RegExp(`mcp_servers\\[0\\]\\.${where}: .* send the value`))
    }
    await service.ask('POST', '/interns/ada/provision')
    const { id } = created.body
    await untilIntern(service, id, 'running')
    const [first, second] = await offered(service, id)
    assert.deepEqual([first.env[0].value, first._meta.signalbox.timeout_seconds], [inEnv, 5])
    assert.deepEqual([second.url, second.headers[0].value], [remote.url, `Bearer ${inHeader}`])
  })

  test('encrypts their secrets with one key; without it the service does not start', async () => {
    const testStore = await newTestStore(kind)
    const key = join(testStore.settings.data_dir, 'encryption.key')
    const first = await startTestService({ testStore })
    const created = await first.ask('POST', '/interns', { body: { name: 'ada', mcp_servers: [command] } })
    await first.stop()
    assert.equal(created.status, 201, created.text)
    renameSync(key, `${key}.lost`)
    await assert.rejects(
      startTestService({ testStore }),
      /encryption key .* is missing, and .*credentials of tool servers/,
    )
    await testStore.remove()
  })
})

test('an idempotent replay compares the secrets too', async () => {
  await using service = await startTestService()
  const make = (secret: string) =>
    service.ask('POST', '/interns', {
      body: { name: 'ada', mcp_servers: [{ ...command, env: { FILES_KEY: secret } }] },
      headers: { 'idempotency-key': 'once' },
    })
  const statuses = [(await make('one')).status, (await make('one')).status, (await make('two')).status]
  assert.deepEqual(statuses, [201, 200, 409])
})

test('an error about an MCP server names the field', async () => {
  await using service = await startTestService()
  const refused: [server: object, says: RegExp][] = [
    [{ name: 'x', command: 'y', readable: ['opt/x'] }, /readable\[0\].*absolute path/],
    [{ name: 'x', command: 'y', readable: ['/opt/../etc'] }, /readable\[0\].*absolute path/],
    [{ name: 'x', url: 'https://x.example', readable: ['/opt/x'] }, /readable.*is only for a command/],
    [{ name: 'a' }, /mcp_servers\[0\]: must have either "command" or "url"/],
    [{ name: 'a', command: 'x', url: 'https://a.example' }, /mcp_servers\[0\]: must have either "command" or "url"/],
    [{ name: 'A b', command: 'x' }, /mcp_servers\[0\]\.name: must be lowercase letters/],
    [{ name: 'a__b', command: 'x' }, /mcp_servers\[0\]\.name: must be lowercase letters/],
    [{ name: 'a', command: 'x', type: 'http' }, /mcp_servers\[0\]\.type: is "stdio" with a command/],
    [{ name: 'a', url: 'https://a.example', type: 'stdio' }, /mcp_servers\[0\]\.type: is "stdio" with a command/],
    [{ name: 'a', url: 'ftp://a.example' }, /mcp_servers\[0\]\.url: must be an http:\/\/ or https:\/\/ URL/],
    [{ name: 'a', url: 'https://u:p@a.example' }, /mcp_servers\[0\]\.url: must be an http:\/\//],
    [{ name: 'a', url: 'https://a.example', env: { A: 'b' } }, /mcp_servers\[0\]\.env: is only for a command/],
    [{ name: 'a', command: 'x', headers: { A: 'b' } }, /mcp_servers\[0\]\.headers: are only for a URL/],
    [{ name: 'a', command: 'x', env: { 'A-B': 'b' } }, /env\.A-B: has an invalid name: must be up to 128 letters/],
    [
      { name: 'a', url: 'https://a.example', headers: { Host: 'b' } },
      /headers\.Host: has an invalid name: is a header that the protocol sets itself/,
    ],
    [{ name: 'a', url: 'https://a.example', headers: { A: 'b\nc' } }, /must be visible ASCII/],
    [{ name: 'a', command: 'x', commands: 'y' }, /unknown field "commands" \(did you mean "command"\?\)/],
    [{ name: 'a', command: 'x', timeout_seconds: 0 }, /timeout_seconds/],
  ]
  for (const [server, says] of refused) {
    const { status, body } = await service.ask('POST', '/interns', { body: { name: 'ada', mcp_servers: [server] } })
    assert.equal(status, 400, JSON.stringify(server))
    assert.match(body.error.message, says)
  }
  const twice = [command, command]
  const { body } = await service.ask('POST', '/interns', { body: { name: 'ada', mcp_servers: twice } })
  assert.match(body.error.message, /mcp_servers: must have different names/)
})

test('MCP servers are added, listed and removed by command', async () => {
  await using service = await startTestService()
  await service.ask('POST', '/interns', { body: { name: 'ada' } })
  const out: string[] = []
  const env = { SIGNALBOX_URL: service.url, SIGNALBOX_KEY: service.apiKey, FILES_KEY: inEnv, WEB_TOKEN: inHeader }
  const terminal = { env, out: (text: string) => void out.push(text), err: (text: string) => void out.push(text) }
  const run = async (...args: string[]) => {
    out.length = 0
    const code = await runCli(['interns', 'mcp', ...args], terminal)
    return { code, text: out.join('\n') }
  }
  await run('add', 'ada', 'files', '--env', 'FILES_KEY', '--', 'files-server', '-v')
  await run('add', 'ada', 'web', '--url', 'https://web.example/mcp', '--header', 'X-Token=WEB_TOKEN', '--timeout', '5')
  const { code, text } = await run('list', 'ada')
  assert.equal(code, 0)
  assert.match(text, /^files +stdio +files-server -v +FILES_KEY +60 s$/m)
  assert.match(text, /^web +http +https:\/\/web\.example\/mcp +X-Token +5 s$/m)
  assert.match((await run('add', 'ada', 'x', '--env', 'UNSET', '--', 'y')).text, /Set the environment variable UNSET/)
  assert.equal((await run('remove', 'ada', 'web')).code, 0)
  assert.match((await run('remove', 'ada', 'web')).text, /has no MCP server "web"/)
  assert.deepEqual(
    (await service.ask('GET', '/interns/ada')).body.mcp_servers.map(({ name }: { name: string }) => name),
    ['files'],
  )
})

/** The files below a folder, and the environments and command lines of processes, that hold one of these texts. */
function placesWith(folder: string, texts: string[]): string[] {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
  const processes = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((pid) => [`/proc/${pid}/environ`, `/proc/${pid}/cmdline`])
  const holds = (file: string) => {
    try {
      const bytes = readFileSync(file)
      return texts.some((text) => bytes.includes(text))
    } catch {
      return false
    }
  }
  return [...files, ...processes].filter(holds)
}
