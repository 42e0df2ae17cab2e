import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { startMcpServer } from '#test/harness/interns/mcp-http-server.ts'
import { realShell } from '#test/harness/interns/scripted-agent.ts'
import { until } from '#test/harness/until.ts'
import type { Tool, ToolContext } from '../tools/tool.ts'
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

/** An answer of `startRawServer`: a result, messages before it, or a status that refuses the request. */
type RawAnswer = { result?: object; before?: object[]; status?: number }

/** A server whose answers are chosen by the test. With `sessionId` it has sessions. */
async function startRawServer(
  answer: (method: string, params: { name?: string }) => RawAnswer | Promise<RawAnswer>,
  sessionId?: string,
) {
  const http = createServer(async (request, response) => {
    if (request.method !== 'POST') return void response.writeHead(405).end()
    const { id, method, params } = JSON.parse(await text(request))
    if (id === undefined) return void response.writeHead(202).end()
    const initialized = { protocolVersion: params?.protocolVersion, serverInfo: { name: 'raw', version: '1' } }
    const capabilities = { tools: { listChanged: true } }
    const {
      result,
      before = [],
      status = 200,
    } = method === 'initialize' ? { result: { ...initialized, capabilities } } : await answer(method, params)
    const outcome = result ? { result } : { error: { code: -32601, message: '' } }
    const messages = [...before, { jsonrpc: '2.0', id, ...outcome }]
    response.writeHead(status, {
      'content-type': 'text/event-stream',
      ...(method === 'initialize' && sessionId !== undefined && { 'mcp-session-id': sessionId }),
    })
    response.end(messages.map((message) => `data: ${JSON.stringify(message)}\n\n`).join(''))
  })
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${(http.address() as AddressInfo).port}/mcp`
  const tools = new ServerTools({ ...spec, type: 'http', url, headers: [] }, { now: Date.now, canAsk: false, fetch })
  return {
    list: async () => (await tools.tools(location, signal)).tools,
    [Symbol.asyncDispose]: async () => {
      await tools.close()
      http.closeAllConnections()
      http.close()
    },
  }
}

const listOf = (...names: string[]) => ({
  result: { tools: names.map((name) => ({ name, inputSchema: { type: 'object', properties: {} } })) },
})
const context = {
  ...location,
  workspace: { root: '/tmp' },
  mode: 'self-drive',
  signal,
  requestPermission: async () => true,
  notifyProgress: () => {},
} as unknown as ToolContext
const use = async (list: Tool[], name: string) => {
  const tool = list.find((each) => each.name === `tools__${name}`)!
  return ((await tool.run({}, context)) as { text: string }).text
}

for (const sessionId of [undefined, 'session'])
  test(`a refused call ${sessionId ? 'of a session ' : ''}ends no other call, and not the use of its server`, async () => {
    const slow = Promise.withResolvers<void>()
    let isSlowRunning = false
    await using server = await startRawServer(async (method, { name } = {}) => {
      if (method === 'tools/list') return listOf('slow', 'refused')
      if (method !== 'tools/call') return {}
      if (name === 'refused') return { status: 503 }
      isSlowRunning = true
      await slow.promise
      return { result: { content: [{ type: 'text', text: 'finished' }] } }
    }, sessionId)
    const list = await server.list()
    const slowCall = use(list, 'slow')
    await until(() => isSlowRunning)
    // More than the starts that a failing server gets.
    for (let call = 1; call <= 6; call++) await assert.rejects(use(list, 'refused'), /returned the HTTP status 503/)
    slow.resolve()
    assert.equal(await slowCall, 'finished')
    assert.equal((await server.list()).length, 2)
  })

test('a list of tools that changes while it is sent is requested again', async () => {
  let version = 1
  const changed = { jsonrpc: '2.0', method: 'notifications/tools/list_changed' }
  await using server = await startRawServer((method) => {
    if (method !== 'tools/list') return {}
    return version++ === 1 ? { ...listOf('old'), before: [changed] } : listOf('old', 'new')
  })
  assert.equal((await server.list()).length, 1)
  assert.equal((await server.list()).length, 2)
})

test('calls that wait for the end of a server share the next one', async () => {
  const isEnded = Promise.withResolvers<void>()
  const stopping = new AbortController()
  let startCount = 0
  const start: (typeof location)['shell']['start'] = async (script, options) => {
    const stopSignal = AbortSignal.any([options.signal, stopping.signal])
    const running = await location.shell.start(script, { ...options, sandbox: false, signal: stopSignal })
    startCount++
    if (!options.sandbox) return running
    return { ...running, ended: running.ended.finally(() => isEnded.promise) }
  }
  const args = [fileURLToPath(new URL('../../../test/mcp/stdio-server.ts', import.meta.url))]
  const command = { ...spec, type: 'stdio' as const, command: process.execPath, args, env: [], readable: [] }
  const tools = new ServerTools(command, { now: Date.now, canAsk: false, fetch })
  const shell = { ...location.shell, start }
  await tools.tools({ ...location, shell, sandbox: true }, signal)
  const first = tools.tools({ ...location, shell }, signal)
  await tools.tools({ ...location, shell }, signal)
  isEnded.resolve()
  await first
  await tools.close()
  // Also a server that nothing closes must not outlive the test.
  stopping.abort()
  assert.equal(startCount, 2)
})
