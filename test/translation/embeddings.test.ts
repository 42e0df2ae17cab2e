import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { startWithModels } from '../harness/records/model-catalogue.ts'
import type { Reply, TestService } from '../harness/service/service.ts'
import { untilMetered } from '../harness/service/world/generation-record.ts'
import { startEmbeddingsUpstream, tokensOf, vectorAt } from '../harness/upstream/embeddings-upstream.ts'
import type { ScriptedUpstream } from '../harness/upstream/scripted-upstream.ts'

/** A price per million tokens of several digits, so that rounded sums would differ. */
const price = 0.123457
const prices = { prompt: price, completion: 0 }
const ofEmbeddings = { output_modalities: ['embeddings'], context_length: 100 }

const names = ['good', 'reversed', 'floats', 'base64', 'nousage', 'totalonly', 'textusage', 'invalid']
const unusable = ['broken', 'short', 'twice', 'empty', 'chat', 'error']

const offer = (model: string, more: object = {}) => ({ model, prices, ...more })
const models = {
  ...Object.fromEntries(names.map((name) => [`e/${name}`, { ...ofEmbeddings, endpoints: { north: offer(name) } }])),
  ...Object.fromEntries(
    unusable.map((name) => [
      `e/${name}`,
      {
        ...ofEmbeddings,
        endpoints: { north: offer(name), south: offer('good', { prices: { prompt: 1, completion: 0 } }) },
      },
    ]),
  ),
  'e/alone': { ...ofEmbeddings, endpoints: { north: offer('short') } },
  'e/gemini': { ...ofEmbeddings, endpoints: { gemini: offer('embedder') } },
  'e/claude': { ...ofEmbeddings, endpoints: { claude: offer('good') } },
  'e/claude-and-good': { ...ofEmbeddings, endpoints: { claude: offer('good'), north: offer('good') } },
  'e/sees': { ...ofEmbeddings, input_modalities: ['text', 'image'], endpoints: { north: offer('good') } },
  'a/chat': { endpoints: { north: offer('good') } },
}

describe('embeddings', () => {
  let upstream: ScriptedUpstream
  let service: TestService
  before(async () => {
    upstream = await startEmbeddingsUpstream()
    const provider = (protocol: string) => ({ name: protocol, protocol, base_url: `${upstream.url}/v1` })
    service = await startWithModels(
      models,
      {},
      {
        north: provider('openai-chat'),
        south: provider('openai-responses'),
        gemini: provider('google-gemini'),
        claude: provider('anthropic-messages'),
      },
    )
  })
  after(async () => {
    await service[Symbol.asyncDispose]()
    await upstream[Symbol.asyncDispose]()
  })

  const ask = (body: object, key?: string) => service.ask('POST', '/embeddings', { body, ...(key && { key }) })
  const input = ['one', 'three']
  const vectorsOf = ({ body }: Reply) => body.data.map(({ embedding }: { embedding: unknown }) => embedding)
  const recordOf = ({ headers }: Reply) => untilMetered(service, headers.get('x-generation-id'))
  const exactCost = (tokens: number) => Number(`${BigInt(tokens) * 123457n}e-12`)

  test('the response has a vector for each input, and the recorded usage and exact cost', async () => {
    const response = await ask({ model: 'e/good', input, user: 'u', dimensions: 2, other: 1 })
    assert.equal(response.status, 200, response.text)
    assert.deepEqual(vectorsOf(response), [vectorAt(0), vectorAt(1)])
    const { usage, model, provider } = response.body
    assert.deepEqual(usage, { prompt_tokens: 8, total_tokens: 8, cost: exactCost(8) })
    assert.deepEqual([model, provider], ['e/good', 'openai-chat'])
    const { path, body } = upstream.requests.at(-1)!
    assert.deepEqual([path, body], ['/v1/embeddings', { model: 'good', input, user: 'u', dimensions: 2, other: 1 }])
    const { data } = await recordOf(response).then((data) => ({ data }))
    assert.deepEqual(
      [data.api_type, data.total_cost, data.tokens_prompt, data.tokens_completion, data.finish_reason],
      ['embeddings', exactCost(8), 8, 0, 'stop'],
    )
  })

  test('settings that are null are not sent', async () => {
    const response = await ask({ model: 'e/good', input, user: null, dimensions: null, encoding_format: null })
    assert.equal(response.status, 200, response.text)
    assert.deepEqual(upstream.requests.at(-1)!.body, { model: 'good', input })
  })

  test('vectors come in the order of the inputs and in the requested format', async () => {
    const [first, second] = [vectorAt(0), vectorAt(1)]
    const base64 = [first, second].map((vector) => Buffer.from(Float32Array.from(vector).buffer).toString('base64'))
    for (const name of ['good', 'reversed', 'floats', 'base64']) {
      const model = `e/${name}`
      assert.deepEqual(vectorsOf(await ask({ model, input, encoding_format: 'float' })), [first, second], name)
      assert.equal('encoding_format' in upstream.requests.at(-1)!.body, false)
      assert.deepEqual(vectorsOf(await ask({ model, input, encoding_format: 'base64' })), base64, name)
    }
  })

  test('an unusable response leads to the next endpoint, and alone to 502', async () => {
    for (const name of unusable) {
      const response = await ask({ model: `e/${name}`, input, provider: { order: ['north', 'south'] } })
      assert.deepEqual(
        [response.status, response.body.provider],
        [200, 'openai-responses'],
        `${name}: ${response.text}`,
      )
      assert.deepEqual(vectorsOf(response), [vectorAt(0), vectorAt(1)])
      const { attempts } = await recordOf(response)
      assert.deepEqual(
        attempts.map(({ provider_name }: { provider_name: string }) => provider_name),
        ['north', 'south'],
      )
    }
    const { status, body } = await ask({ model: 'e/alone', input })
    assert.equal(status, 502)
    assert.match(body.error.message, /it has 1 embeddings for 2 inputs/)
  })

  test('an error of the request is returned in the words of the provider, not retried', async () => {
    const { status, body } = await ask({ models: ['e/invalid', 'e/good'], input })
    assert.deepEqual([status, body.error.message], [400, 'status 400 of invalid'])
  })

  test('preferences choose the provider: only, ignore, sort and max_price', async () => {
    const model = 'e/broken'
    const providerFor = async (provider: object) => (await ask({ model, input, provider })).body
    assert.equal((await providerFor({ only: ['south'] })).provider, 'openai-responses')
    assert.equal((await providerFor({ ignore: ['north'] })).provider, 'openai-responses')
    assert.match(
      (await providerFor({ max_price: { prompt: 0.1 } })).error.message,
      /costs more than provider\.max_price/,
    )
    assert.equal((await providerFor({ order: ['north'], allow_fallbacks: false })).error.code, 502)
  })

  test('a protocol without embeddings is skipped, and alone the reason of 404', async () => {
    assert.equal((await ask({ model: 'e/claude-and-good', input })).body.provider, 'openai-chat')
    const { status, body } = await ask({ model: 'e/claude', input })
    assert.equal(status, 404)
    assert.match(body.error.message, /its protocol \(anthropic-messages\) does not support this operation/)
    assert.equal(body.error.metadata.excluded[0].reason, 'unsupported_task')
  })

  test('chat models are refused for embeddings and vice versa, also as fallbacks', async () => {
    const { status, body } = await ask({ model: 'a/chat', input })
    assert.equal(status, 400)
    assert.match(body.error.message, /"a\/chat" cannot be used here: it generates text, and this operation returns emb/)
    assert.match(body.error.message, /Send it to POST \/chat\/completions\. GET \/embeddings\/models lists/)
    assert.equal((await ask({ models: ['a/chat', 'e/good'], input })).body.model, 'e/good')
    const messages = [{ role: 'user', content: 'Hi' }]
    const chat = await service.ask('POST', '/chat/completions', { body: { models: ['e/good', 'e/floats'], messages } })
    assert.equal(chat.status, 400)
    assert.match(chat.body.error.message, /"e\/good" cannot be used here: it generates embeddings.+POST \/embeddings/)
  })

  test('lists of models: only embeddings when asked for, and never otherwise', async () => {
    const list = async (path: string) => (await service.ask('GET', path)).body
    const own = await list('/embeddings/models')
    assert.deepEqual(own.data, (await list('/models?output_modalities=embeddings')).data)
    assert.equal(own.total_count, Object.keys(models).length - 1)
    assert.deepEqual(
      (await list('/models')).data.map(({ id }: { id: string }) => id),
      ['a/chat'],
    )
    const page = await list('/embeddings/models?limit=2&sort=newest')
    assert.deepEqual([page.data.length, page.links.next], [2, '/api/v1/embeddings/models?limit=2&sort=newest&offset=2'])
  })

  test('invalid bodies are refused with the place of the fault', async () => {
    const refused = async (body: object, message: RegExp) => {
      const response = await ask({ model: 'e/good', ...body })
      assert.equal(response.status, 400, response.text)
      assert.match(response.body.error.message, message)
    }
    await refused({}, /input: must be a text/)
    await refused({ input: [] }, /input: must not be empty/)
    await refused({ input: 1 }, /input: must be a text/)
    await refused({ input: ['a', 1] }, /input\[1\]: must have the form of the first/)
    await refused({ input: [1, -1] }, /input\[0\]: must be a text/)
    await refused({ input: [[1], []] }, /input\[1\]: must have the form/)
    await refused({ input: [{ content: [] }] }, /input\[0\]: must be a text/)
    await refused({ input: new Array(2049).fill('a') }, /input: must have at most 2048 inputs/)
    await refused({ input: 'a', encoding_format: 'hex' }, /encoding_format/)
    await refused({ input: 'a', dimensions: 0 }, /dimensions/)
    await refused({ input: 'a', stream: true }, /stream: embeddings do not have this field/)
    await refused({ input: 'a', tools: [], plugins: [{ id: 'web' }] }, /(tools|plugins): embeddings do not have/)
    await refused({ model: undefined, input: 'a' }, /model: name a model, such as "signalbox\/demo-embedding"/)
    assert.equal((await ask({ model: 'e/good', input: new Array(2048).fill('a') })).status, 200)
  })

  test('each input has its own context: long lists pass, and one long input is refused', async () => {
    const word = 'word '.repeat(60)
    assert.equal((await ask({ model: 'e/good', input: [word, word, word] })).status, 200)
    const { status, body } = await ask({ model: 'e/good', input: ['a', word.repeat(3)] })
    assert.equal(status, 400)
    assert.match(body.error.message, /context length is 100 tokens\. The prompt has about 225 tokens/)
  })

  test('images need a model that sees them', async () => {
    const image = [{ content: [{ type: 'image_url', image_url: { url: 'data:image/png;base64,iVBORw0KGgo=' } }] }]
    assert.equal((await ask({ model: 'e/good', input: image })).status, 404)
    upstream.requests.length = 0
    await ask({ model: 'e/sees', input: image })
    assert.deepEqual(upstream.requests[0]?.body.input, image)
  })

  test('Gemini gets its own body; vectors have the requested format, cost is estimated', async () => {
    const response = await ask({ model: 'e/gemini', input, dimensions: 2, input_type: 'search_query', user: 'u' })
    assert.deepEqual(vectorsOf(response), [vectorAt(0), vectorAt(1)])
    const { path, body } = upstream.requests.at(-1)!
    assert.equal(path, '/v1/models/embedder:batchEmbedContents')
    assert.deepEqual(body.requests[1], {
      model: 'models/embedder',
      content: { parts: [{ text: 'three' }] },
      taskType: 'RETRIEVAL_QUERY',
      outputDimensionality: 2,
    })
    assert.equal(response.headers.get('x-fields-left-out'), 'user')
    const { usage } = response.body
    assert.deepEqual(usage, { prompt_tokens: 2, total_tokens: 2, cost: exactCost(2) })
    assert.equal((await recordOf(response)).tokens_estimated, true)
    assert.match((await ask({ model: 'e/gemini', input: [[1]] })).body.error.message, /does not accept token ids/)
    const many = await ask({ model: 'e/gemini', input: new Array(101).fill('a') })
    assert.match(many.body.error.message, /at most 100 inputs/)
  })

  test('without a count the usage is estimated; a total or a text counts as the prompt', async () => {
    for (const name of ['totalonly', 'textusage'])
      assert.equal((await ask({ model: `e/${name}`, input })).body.usage.prompt_tokens, 8)
    const response = await ask({ model: 'e/nousage', input })
    assert.deepEqual(response.body.usage, { prompt_tokens: 2, total_tokens: 2, cost: exactCost(2) })
    const record = await recordOf(response)
    assert.deepEqual([record.tokens_prompt, record.total_cost], [2, exactCost(2)])
    const ids = await ask({ model: 'e/nousage', input: [[1, 2, 3], [4]] })
    assert.equal(ids.body.usage.prompt_tokens, 4)
  })

  test('a preset supplies the model and the preferences, and nothing of a chat', async () => {
    const config = { model: 'e/broken', temperature: 0.5, provider: { only: ['south'] } }
    await service.manage('POST', '/presets/vectors/responses', { ...config, instructions: 'Be brief.', input: 'x' })
    const response = await ask({ model: '@preset/vectors', input })
    assert.deepEqual([response.status, response.body.provider], [200, 'openai-responses'], response.text)
    assert.deepEqual(upstream.requests.at(-1)!.body, { model: 'good', input })
  })

  test('content filters block and redact inputs, and refuse token ids', async () => {
    const { body } = await service.manage('GET', '/workspaces')
    const path = `/guardrails/${body.data[0].default_guardrail_id}`
    const filter = (action: string) =>
      service.manage('PATCH', path, { content_filters: [{ pattern: 'secret', action, label: '[GONE]' }] })
    try {
      await filter('redact')
      await ask({ model: 'e/good', input: ['a secret', 'none'] })
      assert.deepEqual(upstream.requests.at(-1)!.body.input, ['a [GONE]', 'none'])
      const ids = await ask({ model: 'e/good', input: [1, 2] })
      assert.equal(ids.status, 403)
      assert.match(ids.body.error.message, /token ids, which this filter cannot read/)
      await filter('flag')
      assert.equal((await ask({ model: 'e/good', input: [1, 2] })).status, 200)
      await filter('block')
      const sent = upstream.requests.length
      assert.equal((await ask({ model: 'e/good', input: ['none', 'a secret'] })).status, 403)
      assert.equal(upstream.requests.length, sent)
    } finally {
      await service.manage('PATCH', path, { content_filters: null })
    }
  })

  test('guardrails decide about models and providers', async () => {
    const { body } = await service.manage('GET', '/workspaces')
    const path = `/guardrails/${body.data[0].default_guardrail_id}`
    try {
      await service.manage('PATCH', path, { allowed_models: ['e/broken'], ignored_providers: ['north'] })
      assert.equal((await ask({ model: 'e/good', input })).status, 403)
      assert.equal((await ask({ model: 'e/broken', input })).body.provider, 'openai-responses')
    } finally {
      await service.manage('PATCH', path, { allowed_models: null, ignored_providers: null })
    }
  })

  test('concurrent requests never exceed a limit, and the last dollar is usable', async () => {
    const one = ['x'.repeat(90)]
    const cost = exactCost(tokensOf(one))
    const created = await service.manage('POST', '/keys', { name: 'limited', limit: cost * 20.5 })
    const spent = async () => (await service.ask('GET', '/key', { key: created.body.key })).body.data.usage
    let completed = 0
    for (let round = 0; round < 12; round++) {
      const responses = await Promise.all(
        Array.from({ length: 8 }, () => ask({ model: 'e/good', input: one }, created.body.key)),
      )
      for (const { status, text } of responses) assert.ok([200, 403, 429].includes(status), text)
      completed += responses.filter(({ status }) => status === 200).length
    }
    const usage = await spent()
    assert.ok(usage <= cost * 20.5, `${usage} of ${cost * 20.5}`)
    // Each request reserves the bound of one context, which is 100 tokens.
    assert.ok(completed >= 19 && completed <= 20, `${completed} were answered`)
  })

  test('a limit keeps the embedding options of providers, and removes unknown fields', async () => {
    const { key } = (await service.manage('POST', '/keys', { name: 'limited', limit: 1 })).body
    const options = { truncate: 'END', task: 'retrieval.query', output_dtype: 'float', input_type: 'query' }
    const response = await ask({ model: 'e/good', input, ...options, unheard_of: 1 }, key)
    assert.deepEqual(upstream.requests.at(-1)!.body, { model: 'good', input, ...options })
    assert.equal(response.headers.get('x-fields-left-out'), 'unheard_of')
  })

  test('activity and the request log list embeddings', async () => {
    const response = await ask({ model: 'e/reversed', input, session_id: 's-1', metadata: { team: 'search' } })
    const record = await recordOf(response)
    assert.deepEqual([record.session_id, record.model], ['s-1', 'e/reversed'])
    assert.equal('metadata' in upstream.requests.at(-1)!.body, false)
    const { body } = await service.manage('GET', '/generations?limit=100')
    assert.ok(body.data.some(({ id }: { id: string }) => id === record.id))
  })
})
