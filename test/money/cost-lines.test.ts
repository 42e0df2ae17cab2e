import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import type { Prices } from '#catalogue/index/model.ts'
import { chargedPrices } from '#gateway/pricing/charged-prices.ts'
import { costOf } from '#gateway/pricing/cost.ts'
import { toUsd } from '#platform/core/pico-usd.ts'
import { costLines, isSumCorrect } from '../../console/requests/detail/cost.ts'
import { sampleGeneration } from '../harness/records/sample-generation.ts'

const prices: Prices = {
  ...{ prompt: '0.000003', completion: '0.000015', cacheRead: '0.0000003', cacheWrite: '0.00000375' },
  ...{ reasoning: '0.00002', audioPrompt: '0.00001', audioCompletion: '0.00008', imageCompletion: '0.00012' },
  ...{ request: '0.01', tools: { web_search: '0.005' } },
  tiers: [{ fromPromptTokens: 20_000, prompt: '0.000006' }],
  serviceTiers: { flex: { prompt: '0.0000015', completion: '0.0000075' } },
}

test('the cost lines of the console add up to the charge, for any usage and tier', () => {
  const count = fc.nat(40_000)
  const counts = fc.record({
    ...{ prompt: count, completion: count, cached: count, cacheWritten: count, reasoning: count },
    parts: fc.record({
      ...{ cacheWritten1h: count, audioPrompt: count, audioCompletion: count, imageCompletion: count },
    }),
  })
  const tier = fc.constantFrom(undefined, 'flex', 'priority')
  fc.assert(
    fc.property(counts, tier, fc.nat(5), (tokens, serviceTier, searches) => {
      const extras = { ...(serviceTier && { serviceTier }), pieces: { web_search: searches } }
      const lines = costLines(
        sampleGeneration({
          ...{ tokens_prompt: tokens.prompt, tokens_completion: tokens.completion, tokens_cached: tokens.cached },
          ...{ tokens_cache_written: tokens.cacheWritten, tokens_reasoning: tokens.reasoning },
          tokens_cache_written_1h: tokens.parts.cacheWritten1h,
          tokens_audio_prompt: tokens.parts.audioPrompt,
          tokens_audio_completion: tokens.parts.audioCompletion,
          tokens_image_completion: tokens.parts.imageCompletion,
          billed_pieces: extras.pieces,
        }),
        chargedPrices(prices, { tokens, extras }),
      )
      assert.ok(isSumCorrect(lines, toUsd(costOf(prices, tokens, extras))), JSON.stringify(lines))
    }),
  )
})
