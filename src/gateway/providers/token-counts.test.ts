import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { providerFacts, type UpstreamProtocol } from '#test/harness/upstream/provider-facts.ts'
import { protocols } from './protocols.ts'

function countsOf(protocol: UpstreamProtocol, ...counts: [unknown, unknown, unknown?]) {
  const events = protocols[protocol].readBody(providerFacts[protocol].counting(...counts))
  return events.find((event) => event.type === 'usage')?.tokens
}

for (const protocol of Object.keys(providerFacts) as UpstreamProtocol[]) {
  describe(protocol, () => {
    test('an invalid count gives no usage', () => {
      for (const odd of [1.5, -1, {}, [], 'five', true, 1e12, 1e300]) {
        assert.equal(countsOf(protocol, odd, 5), undefined, `prompt ${JSON.stringify(odd)}`)
        assert.equal(countsOf(protocol, 5, odd), undefined, `completion ${JSON.stringify(odd)}`)
      }
      assert.equal(countsOf(protocol, undefined, null), undefined)
      assert.equal(countsOf(protocol, 1e9, 0)?.prompt, 1e9)
    })

    const hasCachedPart = providerFacts[protocol].counting.length === 3
    test('cached tokens are limited to the prompt, and 0 if invalid', { skip: !hasCachedPart }, () => {
      assert.equal(countsOf(protocol, 5, 5, -3)?.cached, 0)
      assert.equal(countsOf(protocol, 5, 5, 7)?.cached, 5)
    })
  })
}
