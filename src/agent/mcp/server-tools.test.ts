import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startMcpServer } from '#test/harness/interns/mcp-http-server.ts'
import { realShell } from '#test/harness/interns/scripted-agent.ts'
import { ServerTools } from './server-tools.ts'

const location = { shell: realShell(), workspace: '/tmp', sandbox: false }
const spec = { name: 'tools', timeoutMs: 60_000, secrets: [] }
const { signal } = new AbortController()

test('a call that waits for a start connects after the starting call was cancelled', async () => {
  await using server = await startMcpServer('token')
  const headers: [string, string][] = [['X-Token', 'token']]
  const tools = new ServerTools(
    { ...spec, type: 'http', url: `${server.url}/mcp`, headers },
    { now: Date.now, canAsk: false, fetch },
  )
  const cancelled = new AbortController()
  const first = assert.rejects(tools.tools(location, cancelled.signal), { name: 'AbortError' })
  const second = tools.tools(location, signal)
  cancelled.abort()
  await first
  assert.ok((await second).tools.length > 0)
  await tools.close()
})

test('a call shares no start of a command without a sandbox if its mode requires one', async () => {
  const startedIn: boolean[] = []
  const start: (typeof location)['shell']['start'] = async (_script, { sandbox }) => {
    startedIn.push(sandbox)
    throw new Error('not started')
  }
  const shell = { ...location.shell, start }
  const command = { ...spec, type: 'stdio' as const, command: 'tools', args: [], env: [], readable: [] }
  const tools = new ServerTools(command, { now: Date.now, canAsk: false, fetch })
  const calls = [false, true].map((sandbox) => tools.tools({ ...location, shell, sandbox }, signal))
  await Promise.allSettled(calls)
  // Each start has two attempts: the second with the older handshake.
  assert.deepEqual(startedIn, [false, false, true, true])
})

test('a server that is not started again says why it failed, without secrets', async () => {
  const command = { ...spec, type: 'stdio' as const, command: 'no-such-s3cret', args: [], env: [], readable: [] }
  const tools = new ServerTools({ ...command, secrets: ['s3cret'] }, { now: Date.now, canAsk: false, fetch })
  const failure = () =>
    tools.tools(location, signal).then(
      () => 'started',
      (error: Error) => error.message,
    )
  for (let start = 1; start <= 5; start++) assert.match(await failure(), /cannot be reached: it exited with code 127/)
  const message = await failure()
  assert.match(message, /not started again for now\. Its last failure: it exited with code 127: .*no-such-/)
  assert.doesNotMatch(message, /s3cret/)
})
