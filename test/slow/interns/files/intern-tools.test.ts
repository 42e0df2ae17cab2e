import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { answer, runningIntern, say } from '../../../harness/interns/interns.ts'
import { startMcpServer } from '../../../harness/interns/mcp-http-server.ts'
import { realShell } from '../../../harness/interns/scripted-agent.ts'
import { toolResultsIn } from '../../../harness/interns/scripted-coder.ts'
import { startWithModels } from '../../../harness/records/model-catalogue.ts'
import type { ScriptedResponse } from '../../../harness/upstream/provider-facts.ts'
import { parseRequest, type Received, startScriptedUpstream } from '../../../harness/upstream/scripted-upstream.ts'
import { encodeResponse } from '../../../harness/upstream/upstream-responses.ts'
import { pixel } from '../../../mcp/tools.ts'

const root = fileURLToPath(new URL('../../../..', import.meta.url))
const skip = (await realShell().sandboxError('/tmp')) ?? false
const secret = 'secret-of-the-tools'

/** An intern whose model follows a script, one step for each result of a tool. */
async function working(script: ScriptedResponse[], intern: object) {
  const upstream = await startScriptedUpstream((received: Received) => {
    const { protocol, streamed } = parseRequest(received)
    const step = script[toolResultsIn(protocol, received.body).length] ?? { text: 'All is done.' }
    return encodeResponse(protocol, step, streamed)
  })
  const providers = { maker: { name: 'Maker', protocol: 'openai-chat', base_url: `${upstream.url}/v1` } }
  const models = {
    'maker/worker': {
      context_length: 100_000,
      input_modalities: ['text', 'image'],
      endpoints: { maker: { supported_parameters: ['tools'] } },
    },
  }
  const service = await startWithModels(models, {}, providers)
  const { id } = await runningIntern(service, { model: 'maker/worker', ...intern })
  return {
    ...{ service, id, upstream },
    workspace: join(service.testStore.settings.data_dir, 'interns', id, 'workspace'),
    async [Symbol.asyncDispose]() {
      await service[Symbol.asyncDispose]()
      await upstream[Symbol.asyncDispose]()
    },
  }
}

test('an intern uses an MCP server: each call asks, and images reach the model', async () => {
  await using mcp = await startMcpServer(secret)
  const server = { name: 'tools', url: `${mcp.url}/mcp`, headers: { 'X-Token': secret } }
  const script = [
    { calls: [{ name: 'tools__add', input: { a: 2, b: 3 } }] },
    { calls: [{ name: 'tools__draw', input: {} }] },
    { calls: [{ name: 'tools__secret', input: {} }] },
  ]
  await using at = await working(script, { mcp_servers: [server] })
  const first = await say(at.service, at.id, 'go')
  assert.deepEqual(first.question?.arguments, {
    ...first.question?.arguments,
    ...{ kind: 'permission', operation: 'tools__add', detail: 'tools: add\\n{"a":2,"b":3}' },
  })
  const second = await answer(at.service, at.id, first, 'allow_once')
  assert.equal(second.question?.arguments.operation, 'tools__draw')
  const third = await answer(at.service, at.id, second, 'allow_once')
  const last = await answer(at.service, at.id, third, 'allow_once')
  assert.match(last.text, /All is done/)

  const { messages } = at.upstream.requests.at(-1)!.body
  const results = toolResultsIn('openai-chat', { messages }) as { content: string }[]
  assert.equal(results[0]?.content, '5')
  assert.equal(results[2]?.content, 'It is ********.')
  const toolResult = messages.find(
    ({ content }: { content: unknown }) => Array.isArray(content) && JSON.stringify(content).includes('image_url'),
  )
  assert.equal(toolResult?.content[1].image_url.url, `data:image/png;base64,${pixel}`)
  assert.ok(!JSON.stringify(messages).includes(secret))
})

test('a server that is a command runs as the intern does, in self-drive too', { skip }, async () => {
  const script = [{ calls: [{ name: 'tools__write', input: { path: 'made.txt' } }] }]
  const command = join(root, 'node_modules/.bin/node')
  const server = {
    name: 'tools',
    command,
    args: [join(root, 'test/mcp/stdio-server.ts')],
    env: { TOOLS_SECRET: secret },
  }
  await using at = await working(script, { mcp_servers: [server] })
  const turn = await say(at.service, at.id, 'go', { approval_mode: 'self-drive' })
  assert.match(turn.text, /All is done/)
  assert.ok(existsSync(join(at.workspace, 'made.txt')))
})
