import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import type { McpServer } from '#interns/registry/mcp-server-schema.ts'
import { startTestDaemon } from '#test/harness/interns/daemon.ts'

const servers: McpServer[] = [
  { name: 'files', type: 'stdio', command: 'files-server', args: ['-v'], env: { KEY: 'secret-1' }, timeout_seconds: 5 },
  { name: 'web', type: 'http', url: 'https://web.example/mcp', headers: { 'X-Key': 'secret-2' }, timeout_seconds: 60 },
  { name: 'old', type: 'sse', url: 'https://old.example/sse', headers: {}, timeout_seconds: 60 },
]
const offered = {
  files: {
    name: 'files',
    command: 'files-server',
    args: ['-v'],
    env: [{ name: 'KEY', value: 'secret-1' }],
    _meta: { signalbox: { timeout_seconds: 5 } },
  },
  web: {
    type: 'http',
    name: 'web',
    url: 'https://web.example/mcp',
    headers: [{ name: 'X-Key', value: 'secret-2' }],
    _meta: { signalbox: { timeout_seconds: 60 } },
  },
}

test('an agent gets the MCP servers that it supports, and the caller a list of others', async () => {
  await using daemon = await startTestDaemon({ agent: ['http'], mcpServers: servers })
  const { text, reasoning, sessionId } = await daemon.say('servers')
  assert.deepEqual(JSON.parse(text), [offered.files, offered.web])
  assert.match(reasoning, /^\[The agent does not support these MCP servers and works without them: old\.\]/)
  assert.equal((await daemon.say('servers', { sessionId })).reasoning, '')
})

test('an MCP server that cannot be reached is in activity, transcript and log', async () => {
  const missing: McpServer = {
    name: 'gone',
    type: 'stdio',
    command: '/nonexistent/server',
    args: [],
    timeout_seconds: 5,
  }
  await using daemon = await startTestDaemon({
    command: process.execPath,
    agent: [join(import.meta.dirname, '../../bin/agent.ts')],
    mcpServers: [missing],
  })
  const turn = { prompt: 'hello', mode: 'self-drive', activity: true } as const
  const events = await Array.fromAsync(await daemon.runs.start(turn, new AbortController().signal))
  const [call] = events.flatMap((event) => (event.type === 'activity.noticed' ? [event.activity] : []))
  assert.partialDeepStrictEqual(call, { operation: 'mcp_server', status: 'failed' })
  assert.match(JSON.stringify(call), /MCP server gone is not available.*cannot be reached: .*nonexistent/)
  const line = daemon.logged.find(({ event }) => event === 'mcp.unavailable')
  assert.equal(line?.server, 'gone')
  assert.match(String(line?.reason), /nonexistent/)
  const { sessions } = await daemon.runs.transcripts.list({ limit: 1 })
  const transcript = await daemon.runs.transcripts.read(sessions[0]!.id, { limit: 100 })
  assert.match(JSON.stringify(transcript), /MCP server gone is not available/)
})

for (const restore of ['load', 'resume'])
  test(`a session that is taken up again by session/${restore} has them again`, async () => {
    const first = await startTestDaemon({ agent: [restore], mcpServers: servers })
    const { sessionId } = await first.say('say hello')
    await first.stop()
    await using second = await startTestDaemon({ agent: [restore], mcpServers: servers, folder: first.folder })
    assert.deepEqual(JSON.parse((await second.say('servers', { sessionId })).text), [offered.files])
  })
