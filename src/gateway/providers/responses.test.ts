import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { providerFacts, type UpstreamProtocol } from '#test/harness/upstream/provider-facts.ts'
import { gistOf, readEvents } from '#test/harness/upstream/recorded-responses.ts'
import { readErrorMetadata } from './errors/error-metadata.ts'
import { openaiChat } from './openai-chat/openai-chat.ts'
import { protocols } from './protocols.ts'

for (const protocol of Object.keys(providerFacts) as UpstreamProtocol[]) {
  describe(`${protocol}, recorded responses`, () => {
    for (const [names, gist] of Object.entries(providerFacts[protocol].recorded)) {
      for (const name of names.split(' ')) {
        test(`${name} is read`, () => {
          const upToError = readEvents(protocols[protocol], `${protocol}/${name}`)
          const error = upToError.findIndex(({ type }) => type === 'error')
          assert.deepEqual(gistOf(error === -1 ? upToError : upToError.slice(0, error + 1)), gist)
        })
      }
    }

    test('the first event of a response has id and model', () => {
      const [first] = readEvents(protocols[protocol], `${protocol}/text.sse`)
      assert.equal(first?.type, 'started')
      assert.ok(first.id && first.model)
    })

    test('a response that violates the protocol is an error', () => {
      assert.throws(() => protocols[protocol].readBody({ hello: 'world' }))
    })
  })
}

test('an error of a content policy has one code, whatever number its provider uses', () => {
  assert.equal(readErrorMetadata({ code: '1301', message: 'x' }).code, 'content_filter')
  const [error] = openaiChat.readBody({ choices: null, base_resp: { status_code: 1027, status_msg: 'x' } })
  assert.deepEqual(error, { type: 'error', message: 'x', status: 400, code: 'content_filter' })
})
