import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { upstreamProtocols } from '../harness/upstream/provider-facts.ts'
import { type RecordedProviders, startWithUpstream } from '../harness/upstream/recorded-providers.ts'
import { strictResponse, toolNames } from '../harness/upstream/strict-upstreams.ts'
import { type PublicTool, publicServers } from '../mcp/public-tools.ts'

const clients: Record<string, (tools: PublicTool[]) => object> = {
  '/chat/completions': (tools) => ({
    messages: [{ role: 'user', content: 'Hi' }],
    tools: tools.map(({ name, description, inputSchema: parameters }) => ({
      ...{ type: 'function', function: { name, description, parameters } },
    })),
  }),
  '/responses': (tools) => ({
    input: [{ role: 'user', content: 'Hi' }],
    tools: tools.map(({ name, description, inputSchema: parameters }) => ({
      ...{ type: 'function', name, description, parameters },
    })),
  }),
  '/messages': (tools) => ({
    max_tokens: 100,
    messages: [{ role: 'user', content: 'Hi' }],
    tools: tools.map(({ name, description, inputSchema: input_schema }) => ({ name, description, input_schema })),
  }),
}

describe('the tools of public MCP servers', () => {
  let providers: RecordedProviders
  before(async () => {
    providers = await startWithUpstream(strictResponse, ['model'])
  })
  after(() => providers[Symbol.asyncDispose]())

  for (const protocol of upstreamProtocols)
    test(`of ${publicServers.length} servers are accepted by a strict ${protocol} provider`, async () => {
      for (const [path, bodyOf] of Object.entries(clients))
        for (const { name, tools } of publicServers) {
          const body = { model: `${protocol}/model`, ...bodyOf(tools) }
          const { status, text } = await providers.service.ask('POST', path, { body })
          assert.equal(status, 200, `${path} with ${name}: ${text}`)
          const sent = toolNames(providers.upstream.requests.at(-1)!.body)
          assert.deepEqual(
            sent,
            tools.map((tool) => tool.name),
          )
        }
    })
})
