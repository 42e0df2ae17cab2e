import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { agentModel } from '#test/harness/interns/scripted-agent-model.ts'
import { simulatedProtocols } from '#test/harness/upstream/provider-facts.ts'
import { type RecordedProviders, startWithUpstream } from '#test/harness/upstream/recorded-providers.ts'
import { agentRequests } from '../recordings/agents/agent-requests.ts'

describe('recorded requests of coding agents', () => {
  let providers: RecordedProviders
  before(async () => {
    providers = await startWithUpstream(agentModel(), ['coder'])
  })
  after(() => providers[Symbol.asyncDispose]())

  for (const { agent, requests } of agentRequests)
    for (const protocol of simulatedProtocols)
      test(`strict ${protocol} servers accept those of ${agent}`, async () => {
        for (const { path, headers, body } of requests) {
          const sent = { ...body, model: `${protocol}/coder` }
          const { status, text } = await providers.service.ask('POST', path.replace('/v1', ''), { headers, body: sent })
          assert.equal(status, 200, text)
          assert.doesNotMatch(text, /"error":\s*[{"]/)
        }
      })
})
