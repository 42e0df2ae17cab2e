import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { before, describe, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { busyMs } from '#test/harness/until.ts'
import type { Model } from '../../index/model.ts'
import type { LoadReport, RowNote } from '../layer.ts'
import { combineLayers } from '../load.ts'
import { readModelsDev } from './read-models-dev.ts'

/**
 * A snapshot with 147 providers and 5,276 entries. It is not part of the repository; the test data folder contains it.
 */
const file = fileURLToPath(new URL('../../../../shared/data/models.dev.json', import.meta.url))
const skip = existsSync(file) ? false : `the snapshot is not at ${file}`

describe('the real snapshot of models.dev', { skip }, () => {
  let models: Map<string, Model>
  let report: LoadReport
  let tookMs: number

  before(() => {
    const text = readFileSync(file, 'utf8')
    let combined!: ReturnType<typeof combineLayers>
    tookMs = busyMs(() => {
      combined = combineLayers([readModelsDev(text, 'models.dev')])
    })
    report = combined.report
    models = new Map(combined.data.models.map((model) => [model.id, model]))
  })
  const endpointsOf = (id: string) => models.get(id)?.endpoints ?? []
  const upstreams = (id: string) => endpointsOf(id).map(({ tag, upstreamModel }) => `${tag}:${upstreamModel}`)
  const count = (reason: RegExp) => report.skipped.filter((row: RowNote) => reason.test(row.reason)).length

  test('every one of the 5,276 entries is an endpoint or is listed as skipped', () => {
    const { models, endpoints, merged, skipped } = report
    assert.deepEqual({ models, endpoints, merged }, { models: 1314, endpoints: 4261, merged: 2947 })
    assert.equal(endpoints + skipped.length, 5276)
    assert.equal(models + merged, endpoints)
  })

  test('rows are skipped for the reasons that docs/catalogue.md counts', () => {
    assert.equal(count(/no price/), 380)
    assert.equal(count(/subscription or trial/), 258)
    assert.equal(count(/its protocol \(.*\) is not supported/), 353)
    assert.equal(count(/context length/), 23)
    assert.equal(count(/release_date/), 1)
  })

  test('docs/catalogue.md has the figures of this snapshot', () => {
    const text = readFileSync(fileURLToPath(new URL('../../../../docs/catalogue.md', import.meta.url)), 'utf8')
    const { models, endpoints, merged, skipped } = report
    for (const figure of [models, endpoints, merged, skipped.length])
      assert.ok(text.includes(figure.toLocaleString('en')), String(figure))
    for (const figure of [count(/no price/), count(/speaks/), count(/subscription or/), count(/context length/)])
      assert.ok(text.includes(`| ${figure} |`), String(figure))
  })

  test('one model of many providers is one model, with its maker first', () => {
    assert.equal(endpointsOf('anthropic/claude-sonnet-4.5').length, 30)
    assert.equal(upstreams('anthropic/claude-sonnet-4.5')[0], 'anthropic:claude-sonnet-4-5')
    for (const name of [
      'fireworks-ai:accounts/fireworks/models/glm-5p1',
      'synthetic:hf:zai-org/GLM-5.1',
      'venice:zai-org-glm-5-1',
    ])
      assert.ok(upstreams('z-ai/glm-5.1').includes(name), name)
    assert.ok(upstreams('openai/gpt-5.2').includes('venice:openai-gpt-52'))
    assert.ok(upstreams('meta-llama/llama-3.3-70b-instruct').length >= 20)
  })

  test('models with similar names are not merged', () => {
    const apart: [string, string][] = [
      ['openai/gpt-4o', 'openai/gpt-4o-mini'],
      ['openai/gpt-4o', 'openai/gpt-4o-2024-08-06'],
      ['openai/gpt-5-chat', 'openai/gpt-5-chat-latest'],
      ['moonshotai/kimi-k2', 'moonshotai/kimi-k2-thinking'],
      ['moonshotai/kimi-k2.7-code', 'moonshotai/kimi-k2.7-code-highspeed'],
      ['deepseek/deepseek-r1', 'deepseek/deepseek-r1-0528'],
      ['deepseek/deepseek-r1', 'deepseek/deepseek-r1-distill-qwen-32b'],
      ['qwen/qwen3-235b-a22b', 'qwen/qwen3-235b-a22b-2507'],
      ['google/gemini-2.5-flash', 'google/gemini-2.5-flash-lite'],
      ['xiaomi/mimo-v2.5', 'xiaomi/mimo-v2.5-pro'],
      ['openai/gpt-oss-120b', 'openai/gpt-oss-120b:free'],
      ['anthropic/claude-opus-4.8', 'anthropic/claude-opus-4.8-fast'],
    ]
    for (const [one, other] of apart) {
      const shared = upstreams(one).filter((name) => upstreams(other).includes(name))
      assert.ok(endpointsOf(one).length > 0 && endpointsOf(other).length > 0, `${one} and ${other}`)
      assert.deepEqual(shared, [])
    }
  })

  test('no model has endpoints whose names differ in size, thinking, speed or kind', () => {
    const distinctiveWord =
      /\b(mini|nano|lite|thinking|highspeed|flash|turbo|distill|embed|vl|coder|codex|audio|image|tts|\d+(?:\.\d+)?b)\b/g
    const mixed = [...models.values()].filter((model) => {
      const marks = model.endpoints.map(({ upstreamModel }) => {
        const own = upstreamModel.toLowerCase().split('/').at(-1)!.match(distinctiveWord) ?? []
        return own.filter((mark) => !/^\d/.test(mark)).join()
      })
      return new Set(marks).size > 1
    })
    assert.deepEqual(
      mixed.map(({ id }) => id),
      [],
    )
  })

  test('a dated name with a single release is canonical, and each is unique', () => {
    assert.equal(models.get('anthropic/claude-opus-4.1')?.canonicalSlug, 'anthropic/claude-opus-4-1-20250805')
    assert.equal(models.get('openai/gpt-5')?.canonicalSlug, 'openai/gpt-5-2025-08-07')
    assert.equal(models.get('openai/gpt-4o-2024-05-13')?.canonicalSlug, 'openai/gpt-4o-2024-05-13')
    const slugs = [...models.values()].map(({ canonicalSlug }) => canonicalSlug)
    assert.equal(new Set(slugs).size, slugs.length)
  })

  test('quantization belongs to the endpoint', () => {
    const [fp8] = endpointsOf('z-ai/glm-5').filter(({ tag }) => tag === 'gmicloud')
    assert.deepEqual([fp8?.quantization, fp8?.upstreamModel], ['fp8', 'zai-org/GLM-5-FP8'])
    assert.ok(upstreams('deepseek/deepseek-v3.2').includes('vultr:nvidia/DeepSeek-V3.2-NVFP4'))
  })

  test('a subscription’s price of 0 does not make a model free; a free variant is free', () => {
    const free = endpointsOf('anthropic/claude-sonnet-4.5').filter(({ prices }) => prices.prompt === '0')
    assert.deepEqual(free, [])
    assert.equal(endpointsOf('openai/gpt-oss-120b:free')[0]?.prices.completion, '0')
  })

  test('prices are exact decimal text, with cache prices and tiers', () => {
    /**
     * Plain digits: at most twelve significant ones after the leading zeros, because further ones are rounding errors.
     */
    const exact = /^(0|(0\.0*[1-9]|[1-9]\d*\.)\d{0,11}(?<!0)|[1-9]\d*)$/
    const prices = [...models.values()].flatMap((model) => model.endpoints.map((endpoint) => endpoint.prices))
    for (const { tiers = [], ...flat } of prices) {
      for (const price of [flat, ...tiers].flatMap((part) => Object.values(part)))
        if (typeof price === 'string') assert.match(price, exact)
    }
    assert.deepEqual(endpointsOf('openai/gpt-5.5').find(({ tag }) => tag === 'openai')?.prices, {
      prompt: '0.000005',
      completion: '0.00003',
      cacheRead: '0.0000005',
      tiers: [{ fromPromptTokens: 272000, prompt: '0.00001', completion: '0.000045', cacheRead: '0.000001' }],
      serviceTiers: { priority: { prompt: '0.0000125', completion: '0.000075', cacheRead: '0.00000125' } },
    })
  })

  test('audio, images and service tiers have the prices in docs/catalogue.md', () => {
    const prices = [...models.values()].flatMap((model) => model.endpoints.map((endpoint) => endpoint.prices))
    const having = (name: 'audioPrompt' | 'imageCompletion' | 'serviceTiers') =>
      prices.filter((one) => one[name] !== undefined).length
    assert.deepEqual([having('audioPrompt'), having('imageCompletion'), having('serviceTiers')], [44, 5, 16])
  })

  test('ids, tags and credentials are well-formed', () => {
    for (const { id, endpoints } of models.values()) {
      assert.match(id, /^[a-z0-9][a-z0-9._-]*\/[a-z0-9][a-z0-9._@+-]*(:[a-z0-9._-]+)?$/)
      assert.equal(new Set(endpoints.map(({ tag }) => tag)).size, endpoints.length)
    }
  })

  test('it is read and merged in well under a second', (context) => {
    context.diagnostic(`${Math.round(tookMs)} ms`)
    assert.ok(tookMs < 1000, `${tookMs} ms`)
  })
})
