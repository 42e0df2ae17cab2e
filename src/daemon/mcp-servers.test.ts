import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { McpServer } from '#interns/registry/mcp-servers.ts'
import { startTestDaemon } from '#test/harness/daemon.ts'

const servers: McpServer[] = [
  { name: 'files', type: 'stdio', command: 'files-server', args: ['-v'], env: { KEY: 'secret-1' }, timeout_seconds: 5 },
  { name: 'web', type: 'http', url: 'https://web.example/mcp', headers: { 'X-Key': 'secret-2' }, timeout_seconds: 60 },
  { name: 'old', type: 'sse', url: 'https://old.example/sse', headers: {}, timeout_seconds: 60 },
]
const offered = {
  files: {
    ...{ name: 'files', command: 'files-server', args: ['-v'], env: [{ name: 'KEY', value: 'secret-1' }] },
    _meta: { signalbox: { timeout_seconds: 5 } },
  },
  web: {
    ...{ type: 'http', name: 'web', url: 'https://web.example/mcp', headers: [{ name: 'X-Key', value: 'secret-2' }] },
    _meta: { signalbox: { timeout_seconds: 60 } },
  },
}

test('an agent is offered the servers of tools that it says it reaches, and its caller hears which it lacks', async () => {
  await using daemon = await startTestDaemon({ agent: ['http'], mcpServers: servers })
  const { text, reasoning, sessionId } = await daemon.say('servers')
  assert.deepEqual(JSON.parse(text), [offered.files, offered.web])
  assert.match(reasoning, /^\[The agent cannot reach these servers of tools, and goes without: old\.\]/)
  assert.equal((await daemon.say('servers', { sessionId })).reasoning, '')
})

for (const restore of ['load', 'resume'])
  test(`a session that is taken up again by session/${restore} has them again`, async () => {
    const first = await startTestDaemon({ agent: [restore], mcpServers: servers })
    const { sessionId } = await first.say('say hello')
    await first.stop()
    await using second = await startTestDaemon({ agent: [restore], mcpServers: servers, folder: first.folder })
    assert.deepEqual(JSON.parse((await second.say('servers', { sessionId })).text), [offered.files])
  })
