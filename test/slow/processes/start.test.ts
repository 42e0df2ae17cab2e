import assert from 'node:assert/strict'
import { execFileSync, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { connect, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { after, test } from 'node:test'
import { startProcess } from '../../harness/service/server-process.ts'
import { timed } from '../../harness/until.ts'

const scratch = mkdtempSync(join(tmpdir(), 'signalbox-start-'))
after(() => rmSync(scratch, { recursive: true, force: true }))
let folders = 0
const newFolder = () => join(scratch, `data-${folders++}`)

/**
 * Starts a server that must not start.
 * @returns its one-sentence error.
 */
async function refusal(env: Record<string, string>): Promise<string> {
  await using server = startProcess({ DATA_DIR: newFolder(), ...env })
  assert.equal(await server.ended, 1, server.err())
  assert.equal(server.out(), '')
  const lines = server.err().trimEnd().split('\n')
  assert.equal(lines.length, 1, server.err())
  assert.doesNotMatch(lines[0]!, /\bat .*:\d+:\d+|Error:/)
  return lines[0]!
}

async function stopped(server: ReturnType<typeof startProcess>, signal: NodeJS.Signals = 'SIGINT') {
  const { result, ...times } = await timed(2500, () => {
    server.signal(signal)
    return server.ended
  })
  return { code: result, ...times }
}

const keyPattern = /sb-v1-[0-9a-f]{64}/g

for (const WORKERS of ['1', '2']) {
  test(`a first start with workers ${WORKERS} links to the public URL`, async () => {
    const PUBLIC_URL = 'https://example.com/llm'
    await using server = startProcess({ DATA_DIR: newFolder(), CONSOLE: 'true', PUBLIC_URL, WORKERS })
    await server.url
    assert.match(server.out(), /^ {4}https:\/\/example\.com\/llm\/#sign-in=\S+$/m)
    assert.match(
      server.out(),
      /^ {2}Providers {3}none has a credential .*\n {14}Set one, such as [A-Z_]+, and start again/m,
    )
    await using other = startProcess({ DATA_DIR: newFolder(), WORKERS, OPENAI_API_KEY: 'secret-key' })
    await other.url
    assert.match(other.out(), /^ {2}Providers {3}OpenAI$/m)
    assert.doesNotMatch(other.out(), /secret-key/)
  })
}

test('the first start prints two keys and working curl lines; the second none', async () => {
  const DATA_DIR = newFolder()
  await using first = startProcess({ DATA_DIR, DEMO_INTERN: 'true', CONSOLE: 'true' })
  const url = await first.url
  assert.match(first.out(), new RegExp(`^listening on ${url}$`, 'm'))
  assert.equal(new Set(first.out().match(keyPattern)).size, 2)
  const [, origin, link] = /^ {4}(http:\S+)\/#sign-in=(\S+)$/m.exec(first.out()) ?? []
  assert.equal(origin, new URL(url).origin)
  const signIn = { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify({ link }) }
  const started = (await (await fetch(`${url}/sessions`, signIn)).json()) as any
  assert.equal(started.data.role, 'owner')
  assert.equal((await fetch(`${url}/sessions`, signIn)).status, 401)
  const curls = first.out().match(/^ *curl .*$/gm) ?? []
  assert.match(paste(curls[0]), / look.* files.*"finish_reason":"tool_calls".*\[DONE\]/s)
  assert.match(paste(curls[1]), /haiku.*"finish_reason":"stop".*\[DONE\]/s)
  assert.equal(JSON.parse(paste(curls[2])).data.length, 3)
  assert.equal(curls.length, 3)
  assert.equal((await stopped(first)).code, 0)
  await using second = startProcess({ DATA_DIR })
  await second.url
  assert.doesNotMatch(second.out() + second.err(), keyPattern)
  assert.doesNotMatch(second.out(), /sign-in/)
})

/** An environment in which nobody can create user namespaces, and so no sandbox. */
const withoutNamespaces = ['unshare', '--user', '--map-root-user', 'sh', '-c']
withoutNamespaces.push('echo 0 > /proc/sys/user/max_user_namespaces && exec "$@"', 'sh')

for (const [what, env, through, says, replies] of [
  ['bubblewrap nowhere on the PATH', { PATH: scratch }, [], /^ {2}Sandbox {5}util-linux$/m, /Now the haiku.*Done\./s],
  [
    'a setting that names no bubblewrap',
    { SANDBOX_PROGRAM: '/bin/true' },
    [],
    /^ {2}Sandbox {5}util-linux, because bubblewrap \(\/bin\/true\) does not restrict/m,
    /Now the haiku.*Done\./s,
  ],
  [
    'no sandbox',
    { INTERN_USERS_FROM: '0' },
    withoutNamespaces,
    /^ {2}Sandbox {5}none: interns ask in `manual`, but run no command/m,
    /the sandbox is not available, and commands are not run without it.*Done\./s,
  ],
  [
    'no sandbox, where consent suffices',
    { INTERN_USERS_FROM: '0', WITHOUT_SANDBOX: 'consent' },
    withoutNamespaces,
    /^ {2}Sandbox {5}none: in `manual` interns run commands without one/m,
    /Now the haiku.*Done\./s,
  ],
] as const) {
  test(`with ${what} both printed examples work`, async (t) => {
    const [command = 'true', ...args] = [...through, 'true']
    if (spawnSync(command, args).status !== 0) return t.skip('no namespaces can be made here')
    await using server = startProcess({ DATA_DIR: newFolder(), DEMO_INTERN: 'true', ...env }, [...through])
    await server.url
    assert.match(server.out(), says)
    const [asking = '', answering = ''] = server.out().match(/^ *curl .*$/gm) ?? []
    const requested = paste(asking)
    assert.match(requested, / look.* files.*"finish_reason":"tool_calls".*\[DONE\]/s)
    assert.match(requested, through.length > 0 ? /The sandbox is not available, so .*: ls -la/ : /ls -la/)
    assert.match(saidIn(paste(answering)), replies)
    assert.equal((await stopped(server)).code, 0)
  })
}

/** Runs a printed line. On an overloaded machine the intern may still be starting, and the line is repeated. */
function paste(line = ''): string {
  for (let tries = 1; ; tries++) {
    const command = `${line.trim()} -sS --fail-with-body`
    const { status, stdout, stderr } = spawnSync('sh', ['-c', command], { encoding: 'utf8' })
    if (status === 0) return stdout
    assert.ok(tries < 300 && /intern_not_ready/.test(stdout), stderr + stdout)
    spawnSync('sleep', ['1'])
  }
}

/** The text of a stream of chunks. */
function saidIn(stream: string): string {
  const chunks = stream.match(/^data: \{.*$/gm) ?? []
  return chunks.map((line) => JSON.parse(line.slice(6)).choices?.[0]?.delta?.content ?? '').join('')
}

test('configured first keys work and are not shown; a generated one is shown', async () => {
  const [management, api] = ['c', 'd'].map((digit) => `sb-v1-${digit.repeat(64)}`)
  const DATA_DIR = newFolder()
  await using server = startProcess({ DATA_DIR, BOOTSTRAP_MANAGEMENT_KEY: management })
  const response = await fetch(`${await server.url}/audit`, { headers: { authorization: `Bearer ${management}` } })
  assert.equal(response.status, 200)
  const message = server.out() + server.err()
  assert.ok(!message.includes('c'.repeat(8)))
  assert.equal(new Set(message.match(keyPattern)).size, 1)
  const chosen = { BOOTSTRAP_MANAGEMENT_KEY: management, BOOTSTRAP_API_KEY: api }
  await using both = startProcess({ DATA_DIR: newFolder(), DEMO_INTERN: 'true', ...chosen })
  const url = await both.url
  assert.doesNotMatch(both.out() + both.err(), /[cd]{8}|sb-v1-/)
  const line = /^ *curl .*models.*$/m.exec(both.out())?.[0] ?? ''
  const env = { ...process.env, ...chosen }
  const pasted = execFileSync('sh', ['-c', `${line.trim()} -sS --fail-with-body`], { encoding: 'utf8', env })
  assert.equal(JSON.parse(pasted).data.length, 3, url)
})

test('Ctrl-C ends an idle server at once, a busy one in two seconds, with code 0', async () => {
  await using idle = startProcess({ DATA_DIR: newFolder() })
  await using busy = startProcess({ DATA_DIR: newFolder() })
  await idle.url
  const { hostname, port, pathname } = new URL(await busy.url)
  const slow = connect(Number(port), hostname)
  slow.on('error', () => {})
  await once(slow, 'connect')
  slow.write(`POST ${pathname}/keys HTTP/1.1\r\nhost: x\r\ncontent-length: 1000\r\n\r\n{`)
  const waiting = connect(Number(port), hostname)
  waiting.on('error', () => {})
  await once(waiting, 'connect')
  const [first, second] = await Promise.all([stopped(idle), stopped(busy)])
  assert.equal(first.code, 0)
  assert.equal(second.code, 0)
  assert.ok(second.tookMs < second.allowedMs, `it took ${second.tookMs} ms`)
})

test('a second Ctrl-C, as npm passes it on, changes nothing', async () => {
  await using server = startProcess({ DATA_DIR: newFolder() })
  await server.url
  server.signal('SIGINT')
  assert.equal((await stopped(server)).code, 0)
})

test('Ctrl-C while it starts leaves no process behind, and prints the keys first', async () => {
  const DATA_DIR = newFolder()
  await using server = startProcess({ DATA_DIR, DEMO_INTERN: 'true' })
  while (!processesIn(DATA_DIR)) await new Promise((resolve) => setTimeout(resolve, 5))
  assert.doesNotMatch(server.out(), keyPattern)
  assert.equal((await stopped(server)).code, 0)
  assert.equal(new Set(server.out().match(keyPattern)).size, 2)
  assert.equal(processesIn(DATA_DIR), '')
})

test('Ctrl-C while it starts does not wait for the demo intern, and ends its daemon', async () => {
  const DATA_DIR = newFolder()
  await using server = startProcess({ DATA_DIR, DEMO_INTERN: 'true' })
  while (!processesIn(DATA_DIR)) await new Promise((resolve) => setTimeout(resolve, 5))
  // As if the machine were so loaded that the daemon does not answer.
  const daemon = Number(execFileSync('pgrep', ['-f', `${DATA_DIR}/interns/`], { encoding: 'utf8' }).split('\n')[0])
  process.kill(daemon, 'SIGSTOP')
  assert.equal((await stopped(server)).code, 0)
  assert.equal(processesIn(DATA_DIR), '')
})

/** The processes that got a file of the folder as an argument: the daemons of its interns. */
function processesIn(folder: string): string {
  const all = execFileSync('ps', ['-eo', 'args'], { encoding: 'utf8' })
  return all
    .split('\n')
    .filter((line) => line.includes(`${folder}/interns/`))
    .join('\n')
}

test('SIGTERM lets an open request finish', async () => {
  const key = `sb-v1-${'c'.repeat(64)}`
  await using server = startProcess({ DATA_DIR: newFolder(), BOOTSTRAP_MANAGEMENT_KEY: key })
  const { hostname, port, pathname } = new URL(await server.url)
  const body = '{"name":"late"}'
  const head = [`POST ${pathname}/keys HTTP/1.1`, 'host: x', `authorization: Bearer ${key}`]
  const socket = connect(Number(port), hostname)
  let response = ''
  socket.setEncoding('utf8').on('data', (text: string) => {
    response += text
  })
  const lines = [...head, 'content-type: application/json', `content-length: ${body.length}`, '', '']
  socket.write(`${lines.join('\r\n')}${body.slice(0, 5)}`)
  await new Promise((resolve) => setTimeout(resolve, 100))
  const ending = stopped(server, 'SIGTERM')
  await new Promise((resolve) => setTimeout(resolve, 200))
  socket.write(body.slice(5))
  assert.equal((await ending).code, 0)
  assert.match(response, /^HTTP\/1.1 201 /)
})

test('a taken port is one sentence that names the setting', async () => {
  const other = createServer().unref().listen(0, '127.0.0.1')
  await once(other, 'listening')
  const { port } = other.address() as { port: number }
  assert.match(await refusal({ PORT: String(port) }), new RegExp(`^Port ${port} on 127.0.0.1 is taken .*set PORT`))
  assert.match(await refusal({ METRICS_PORT: String(port) }), new RegExp(`^Port ${port} .*set METRICS_PORT`))
  // A failed start has not used up the single display of the first keys.
  const folder = newFolder()
  for (const name of ['PORT', 'METRICS_PORT']) await refusal({ [name]: String(port), DATA_DIR: folder })
  other.close()
  await once(other, 'close')
  await refusal({ PORT: String(port), METRICS_PORT: String(port), DATA_DIR: folder })
  await using next = startProcess({ DATA_DIR: folder })
  await next.url
  assert.equal(new Set(next.out().match(keyPattern)).size, 2)
})

test('a data folder that cannot be written is one sentence', async () => {
  const file = join(scratch, 'a-file')
  writeFileSync(file, '')
  assert.match(
    await refusal({ DATA_DIR: file }),
    /^The data folder .* cannot be used: it is not a folder\. Set DATA_DIR/,
  )
  assert.match(
    await refusal({ DATA_DIR: join(file, 'below') }),
    /^The data folder .* cannot be used: it is not a folder/,
  )
  // Where Node's own function to create folders never ends.
  assert.match(await refusal({ DATA_DIR: '/proc/signalbox/data' }), /^The data folder .* cannot be used: /)
})

test('a folder with foreign files is left unchanged', async () => {
  const folder = newFolder()
  mkdirSync(folder)
  writeFileSync(join(folder, 'thesis.txt'), 'mine')
  assert.match(await refusal({ DATA_DIR: folder }), /contains files of other programs, .*\. Set DATA_DIR/)
})

test('a broken configuration is one sentence that says where', async () => {
  const file = (name: string, text: string) => {
    const path = join(scratch, name)
    writeFileSync(path, text)
    return path
  }
  assert.match(
    await refusal({ CONFIG: file('broken.yaml', 'port: [1\nhost: x') }),
    /broken\.yaml is not valid YAML.*line/,
  )
  assert.match(await refusal({ CONFIG: file('unknown.yaml', 'prot: 8080\n') }), /has no setting "prot"/)
  assert.match(await refusal({ CONFIG: file('list.yaml', '- port\n') }), /must contain "name: value" lines/)
  assert.match(await refusal({ CONFIG: join(scratch, 'absent.yaml') }), /absent\.yaml .*does not exist/)
  assert.match(await refusal({ PORT: 'eighty' }), /^The setting port from the environment variable PORT is invalid/)
})

test('a broken catalogue file is one sentence that says where', async () => {
  const path = join(scratch, 'catalogue.yaml')
  writeFileSync(path, 'models:\n  - id: [\n')
  assert.match(await refusal({ CATALOGUE_FILE: path }), /catalogue\.yaml/)
})

test('a database of a newer version is refused and left as it is', async () => {
  const DATA_DIR = newFolder()
  const first = startProcess({ DATA_DIR })
  await first.url
  await stopped(first)
  const database = new DatabaseSync(join(DATA_DIR, 'signalbox.db'))
  database.exec("insert into kysely_migration values ('9999_future', '2030-01-01T00:00:00.000Z')")
  database.close()
  assert.match(await refusal({ DATA_DIR }), /written by a newer version of Signalbox .*9999_future/)
})

test('an invalid database is reported in one sentence', async () => {
  const DATA_DIR = newFolder()
  const first = startProcess({ DATA_DIR })
  await first.url
  await stopped(first)
  writeFileSync(join(DATA_DIR, 'signalbox.db'), 'this is not a database, and long enough to be looked at'.repeat(50))
  rmSync(join(DATA_DIR, 'signalbox.db-wal'), { force: true })
  assert.match(await refusal({ DATA_DIR }), /^The database .* cannot be opened: /)
})

test('a Postgres that is not there is one sentence', async () => {
  const message = await refusal({ DATABASE_URL: 'postgres://u:secret-word@127.0.0.1:1/x' })
  assert.match(message, /^The database named by DATABASE_URL cannot be reached/)
  assert.doesNotMatch(message, /secret-word/)
})

test('a second server on one data folder is refused, and the first continues', async () => {
  const DATA_DIR = newFolder()
  await using first = startProcess({ DATA_DIR })
  const url = await first.url
  assert.match(await refusal({ DATA_DIR }), /^Another Signalbox \(process \d+\) is using the data folder/)
  assert.equal((await fetch(`${url}/health`)).status, 200)
})

test('an unknown model of interns is reported once at the start, with a suggestion', async () => {
  for (const WORKERS of ['1', '2']) {
    await using server = startProcess({ DATA_DIR: newFolder(), WORKERS, DEFAULT_INTERN_MODEL: 'signalbox/dem' })
    await server.url
    await stopped(server)
    const expected = server.err().match(/interns without a configured model have no model[^"]*Model .*?demo/g)
    assert.equal(expected?.length, 1, server.err())
  }
})

test('a valid model of interns, a preset or the script is not reported', async () => {
  for (const DEFAULT_INTERN_MODEL of ['signalbox/demo', 'signalbox/demo:floor', '@preset/mine', 'script']) {
    await using server = startProcess({ DATA_DIR: newFolder(), DEFAULT_INTERN_MODEL })
    await server.url
    await stopped(server)
    assert.doesNotMatch(server.err(), /have none/)
  }
})
