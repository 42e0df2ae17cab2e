import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readCatalogueFile } from './format.ts'

/** Returns `line: row: reason` for each skipped row of a file. */
function problemsOf(text: string): string[] {
  return readCatalogueFile(text, 'mine.yaml').skipped.map(({ line, row, reason }) => `${line}: ${row}: ${reason}`)
}

test('a broken row is skipped and reported with line and field', () => {
  const text = `
models:
  acme/one:
    name: One
    context_length: many
  acme/two:
    name: Two
`
  assert.deepEqual(problemsOf(text), ['5: acme/one: context_length: expected number, received string'])
  assert.deepEqual([...readCatalogueFile(text, 'mine.yaml').models.keys()], ['acme/two'])
})

test('an invalid endpoint does not invalidate its model', () => {
  const text = `
models:
  acme/one:
    endpoints:
      good: { model: one }
      bad:
        model: one
        regions: [mars]
`
  assert.match(problemsOf(text)[0] ?? '', /^8: acme\/one@bad: regions\.0: /)
  assert.deepEqual([...readCatalogueFile(text, 'x').models.get('acme/one')!.endpoints.keys()], ['good'])
})

test('a misspelt field is named, on its own line', () => {
  assert.deepEqual(problemsOf('providers:\n  acme:\n    name: Acme\n    nmae: Acme\n'), [
    '4: acme: unknown field "nmae" (did you mean "name"?)',
  ])
})

test('a price for one token where a price for a million belongs is refused', () => {
  const text = 'models:\n  a/b:\n    endpoints:\n      c:\n        prices: { prompt: 0.00000125 }\n'
  assert.match(problemsOf(text)[0] ?? '', /^5: a\/b@c: prices\.prompt: .*0\.00000125 looks like the price of one token/)
})

test('a negative price, an invalid date, category or name is refused', () => {
  const refused: [row: string, field: RegExp][] = [
    ['created: 2026-02-30', /created/],
    ['categories: [cooking]', /categories/],
    ['canonical_slug: nothing', /canonical_slug/],
    ['benchmarks: { intelligence: -1 }', /intelligence/],
    ['context_length: 0', /context_length/],
  ]
  for (const [row, field] of refused) assert.match(problemsOf(`models:\n  a/b:\n    ${row}\n`)[0] ?? '', field)
  assert.match(problemsOf('models:\n  no-author: {}\n')[0] ?? '', /not a valid name/)
  assert.match(problemsOf('models: {a/b: {endpoints: {c: {prices: {prompt: -1}}}}}')[0] ?? '', /prices\.prompt/)
})

test('prices are exact per token, image and request, and tiers are sorted by size', () => {
  const text = `
models:
  a/b:
    endpoints:
      c:
        prices:
          prompt: 0.07
          completion: "1.10"
          cache_read: 0.0175
          image: 0.04
          request: 0.005
          tiers:
            - { from_prompt_tokens: 200000, prompt: 0.14 }
            - { from_prompt_tokens: 32000, prompt: 0.1 }
`
  assert.deepEqual(readCatalogueFile(text, 'x').models.get('a/b')!.endpoints.get('c')!.prices, {
    prompt: '0.00000007',
    completion: '0.0000011',
    cacheRead: '0.0000000175',
    image: '0.04',
    request: '0.005',
    tiers: [
      { fromPromptTokens: 32000, prompt: '0.0000001' },
      { fromPromptTokens: 200000, prompt: '0.00000014' },
    ],
  })
})

test('audio, images, cache, tools and service tiers have prices', () => {
  const text = `
providers: { p: { name: P, protocol: openai-chat, tools: { web_search: 0.01 } } }
models:
  a/b:
    endpoints:
      c:
        prices:
          cache_write_1h: 6
          audio_prompt: 1
          audio_completion: 80
          image_completion: 30
          tools: { web_search: 0.014, x_search: 0 }
          service_tiers: { priority: { prompt: 5, cache_read: 0.5 } }
          tiers: [{ from_prompt_tokens: 9, audio_prompt: 2 }]
`
  const { providers, models } = readCatalogueFile(text, 'x')
  assert.deepEqual(providers.get('p')?.tools, { web_search: '0.01' })
  assert.deepEqual(models.get('a/b')!.endpoints.get('c')!.prices, {
    cacheWrite1h: '0.000006',
    audioPrompt: '0.000001',
    audioCompletion: '0.00008',
    imageCompletion: '0.00003',
    tools: { web_search: '0.014', x_search: '0' },
    tiers: [{ fromPromptTokens: 9, audioPrompt: '0.000002' }],
    serviceTiers: { priority: { prompt: '0.000005', cacheRead: '0.0000005' } },
  })
})

test('JSON is read too, and its errors name the line', () => {
  const text = '{\n  "models": {\n    "a/b": {\n      "name": 7\n    }\n  }\n}'
  assert.deepEqual(problemsOf(text), ['4: a/b: name: expected string, received number'])
})

test('a file that is not a catalogue is refused with the reason', () => {
  const refusals: [text: string, reason: RegExp][] = [
    ['models: [1', /^mine\.yaml is neither YAML nor JSON: line 1: /],
    ['{"models": {}', /neither YAML nor JSON/],
    ['models:\n  a/b: {}\n  a/b: {}\n', /line 3: Map keys must be unique/],
    ['- one\n- two\n', /^mine\.yaml is not a catalogue file: line 1: expected object/],
    ['providers: {}\nmodel: {}\n', /unknown field "model" \(did you mean "models"\?\)/],
    ['models: 7\n', /models: expected object/],
  ]
  for (const [text, message] of refusals) {
    assert.throws(() => readCatalogueFile(text, 'mine.yaml'), { name: 'CatalogueError', message })
  }
})

test('an empty file is valid', () => {
  assert.equal(readCatalogueFile('# later\n', 'x').models.size, 0)
})
