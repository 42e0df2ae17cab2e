import assert from 'node:assert/strict'
import { test } from 'node:test'
import { CatalogueError } from '#catalogue/sources/layer.ts'
import { loadCatalogue } from '#catalogue/sources/load.ts'
import { knownCatalogue } from './litellm/catalogue/known-catalogue.ts'
import { fromLitellm } from './litellm.ts'

const { data } = await loadCatalogue({ starter_catalogue: true, data_dir: '/nowhere' })
const catalogue = knownCatalogue(data)
const now = new Date('2026-11-22T12:00:00Z')

/** Imports a configuration, written as JSON, which is also YAML. */
const importFrom = (config: object, freeUnlessPriced = false) =>
  fromLitellm(JSON.stringify(config), 'config.yaml', catalogue, { now, freeUnlessPriced })
const rows = (...list: [name: string, params: object, info?: object][]) => ({
  model_list: list.map(([model_name, litellm_params, model_info]) => ({ model_name, litellm_params, model_info })),
})
const notesOf = (...list: Parameters<typeof rows>) => importFrom(rows(...list)).notes.join('\n')

test('a known model needs only an alias, for each form of its name', () => {
  const names = ['openai/gpt-5-mini', 'gpt-5-mini', 'openai/gpt-5-mini-2025-08-07']
  for (const model of names) {
    const { catalogue } = importFrom(rows(['small', { model, api_key: 'os.environ/OPENAI_API_KEY' }]))
    assert.deepEqual(catalogue, { providers: {}, models: { 'openai/gpt-5-mini': { aliases: ['small'] } } }, model)
  }
})

test('a row keeps the protocol and the address that LiteLLM uses', () => {
  const api_base = 'https://gate.example.com'
  const serverOf = (model: string, base = api_base, params = {}) => {
    const price = { input_cost_per_token: 1e-6, output_cost_per_token: 2e-6 }
    const { catalogue } = importFrom(
      rows(['m', { model, api_base: base, api_key: 'os.environ/K', ...price, ...params }]),
    )
    return Object.values(catalogue.providers).map(({ protocol, base_url }) => [protocol, base_url])[0]
  }
  assert.deepEqual(serverOf('anthropic/claude-x'), ['anthropic-messages', `${api_base}/v1`])
  assert.deepEqual(serverOf('gemini/gemini-x', `${api_base}/v1beta`), ['google-gemini', `${api_base}/v1beta`])
  assert.deepEqual(serverOf('vertex_ai/gemini-x', `${api_base}/v1beta/`), ['google-gemini', `${api_base}/v1beta`])
  assert.deepEqual(serverOf('openai/x', `${api_base}/v1`), ['openai-chat', `${api_base}/v1`])
  assert.deepEqual(serverOf('openai/responses/x', `${api_base}/v1`), ['openai-responses', `${api_base}/v1`])
  assert.deepEqual(serverOf('azure/x'), ['openai-chat', `${api_base}/openai/v1`])
  assert.deepEqual(serverOf('ollama_chat/x', 'http://ollama:11434'), ['openai-chat', 'http://ollama:11434/v1'])
  // biome-ignore lint/suspicious/noTemplateCurlyInString: as a catalogue file names a variable
  assert.deepEqual(serverOf('hosted_vllm/x', 'os.environ/VLLM_URL'), ['openai-chat', '${VLLM_URL}'])
  assert.deepEqual(serverOf('x', `${api_base}/v1`, { custom_llm_provider: 'openai' }), [
    'openai-chat',
    `${api_base}/v1`,
  ])
})

test('the address of a known provider selects that provider and its prices', () => {
  const params = { model: 'openai/openai/gpt-oss-120b', api_base: 'https://openrouter.ai/api/v1' }
  const { catalogue } = importFrom(rows(['oss', params]))
  assert.deepEqual(catalogue.providers, {})
  assert.deepEqual(catalogue.models, { 'openai/gpt-oss-120b': { aliases: ['oss'] } })
})

test('a server on this machine gets the slug local', () => {
  for (const host of ['127.0.0.1', 'localhost', '[::1]']) {
    const { catalogue } = importFrom(rows(['m', { model: 'openai/qwen', api_base: `http://${host}:8000/v1` }]))
    assert.deepEqual([Object.keys(catalogue.providers), Object.keys(catalogue.models)], [['local'], ['local/qwen']])
  }
})

test('a row with another address becomes a separate model', () => {
  const eu = { model: 'anthropic/claude-sonnet-4-6', api_base: 'https://eu.example.com', api_key: 'os.environ/EU_KEY' }
  const { catalogue } = importFrom(rows(['us', { model: 'anthropic/claude-sonnet-4-6' }], ['eu', eu]))
  assert.deepEqual(catalogue.models['anthropic/claude-sonnet-4.6'], { aliases: ['us'] })
  const own = catalogue.models['eu/claude-sonnet-4-6']!
  assert.deepEqual([own.aliases, Object.keys(own.endpoints!), own.name], [['eu'], ['eu'], 'Claude Sonnet 4.6'])
  assert.equal(own.endpoints!.eu!.prices!.prompt, '3')
})

test('rows with one name are endpoints of one model; two keys are two providers', () => {
  const key = (name: string) => ({ model: 'openai/gpt-5-mini', api_key: `os.environ/${name}` })
  const { catalogue } = importFrom(rows(['gpt', key('KEY_1')], ['gpt', key('KEY_2')]))
  assert.deepEqual(catalogue.providers.openai, { credentials: ['KEY_1', 'OPENAI_API_KEY'] })
  assert.deepEqual(catalogue.providers['openai-2']!.credentials, ['KEY_2'])
  assert.deepEqual(Object.keys(catalogue.models['openai/gpt-5-mini']!.endpoints!), ['openai-2'])
})

test('rows of one name with weights are endpoints of one model, with their weights', () => {
  const azure = { api_base: 'https://eu.example.com', api_key: 'os.environ/EU_KEY' }
  const { catalogue, presets, notes } = importFrom(
    rows(
      ['chat', { model: 'openai/gpt-5-mini', weight: 9 }],
      ['chat', { model: 'openai/gpt-5.1', weight: 1 }],
      ['chat', { model: 'azure/ours', ...azure }, { base_model: 'azure/gpt-5-mini' }],
      ['alone', { model: 'openai/gpt-5-mini', weight: 5 }],
      ['odd', { model: 'openai/gpt-5-mini', weight: 'half' }],
    ),
  )
  const { endpoints = {}, aliases } = catalogue.models['litellm/chat']!
  const chosen = Object.entries(endpoints).map(([tag, { model, weight }]) => [tag, model, weight])
  assert.deepEqual(chosen, [
    ['openai', 'gpt-5-mini', 9],
    ['openai/2', 'gpt-5.1', 1],
    ['azure', 'ours', 0],
  ])
  assert.deepEqual(aliases, ['chat'])
  assert.equal(endpoints.openai!.prices!.prompt, '0.25')
  assert.ok(endpoints.openai!.context_length! > 100_000)
  assert.deepEqual(catalogue.models['openai/gpt-5-mini'], { aliases: ['alone', 'odd'] })
  assert.deepEqual(presets, [])
  assert.deepEqual(notes, ['weight of odd: it is not a number from 0 to 1,000,000'])
})

test('a model outside the catalogue is imported with price, context and provider', () => {
  const price = { input_cost_per_token: 1e-6, output_cost_per_token: 2e-6 }
  const info = { ...price, max_input_tokens: 64_000, max_output_tokens: 8000, supports_vision: true }
  const { catalogue, notes } = importFrom(
    rows(['new', { model: 'openai/gpt-99', api_key: 'os.environ/OPENAI_API_KEY' }, info]),
  )
  assert.deepEqual(catalogue, {
    providers: {},
    models: {
      'openai/gpt-99': {
        name: 'gpt-99',
        created: '2026-11-22',
        context_length: 64_000,
        input_modalities: ['text', 'image'],
        endpoints: {
          openai: { model: 'gpt-99', prices: { prompt: '1', completion: '2' }, max_completion_tokens: 8000 },
        },
        aliases: ['new'],
      },
    },
  })
  assert.deepEqual(notes, [])
})

test('prices come from the row, the known model, or are 0 for a private server', () => {
  const at = (api_base: string, more = {}) => rows(['m', { model: 'openai/x', api_base, api_key: 'EMPTY', ...more }])
  const prices = (config: object, free = false) => {
    const [model] = Object.values(importFrom(config, free).catalogue.models)
    return model && Object.values(model.endpoints!)[0]!.prices
  }
  const free = { prompt: '0', completion: '0' }
  for (const base of ['http://10.0.0.7:8000/v1', 'http://vllm:8000/v1', 'http://gpu.local/v1', 'http://127.0.0.1:1/v1'])
    assert.deepEqual(prices(at(base)), free, base)
  assert.equal(prices(at('https://llm.example.com/v1')), undefined)
  assert.deepEqual(prices(at('https://llm.example.com/v1'), true), free)
  const fields = {
    input_cost_per_token: 0.0000025,
    output_cost_per_token: '1e-5',
    cache_read_input_token_cost: 0.00000025,
  }
  const expected = { prompt: '2.5', completion: '10', cache_read: '0.25' }
  assert.deepEqual(prices(at('https://llm.example.com/v1', fields)), expected)
})

test('rows can reference credentials, and the o_series mark of Azure is removed', () => {
  const { catalogue, notes } = importFrom({
    ...rows(
      ['o3', { model: 'azure/o_series/o3', litellm_credential_name: 'eu' }],
      ['gone', { model: 'azure/o3', litellm_credential_name: 'nowhere' }],
      ['*', { model: '*' }],
    ),
    credential_list: [
      {
        credential_name: 'eu',
        credential_values: { api_base: 'https://eu.example.com', api_key: 'os.environ/EU_KEY' },
      },
    ],
  })
  const { base_url, credentials } = catalogue.providers.azure!
  assert.deepEqual([base_url, credentials], ['https://eu.example.com/openai/v1', ['EU_KEY']])
  assert.equal(catalogue.models['azure/o3']!.endpoints!.azure!.model, 'o3')
  assert.deepEqual(notes.slice(0, 2), [
    'model_list[1] gone: it has no api_base',
    '*: not needed: requests can use every model of the catalogue by its id',
  ])
})

test('a row that is not imported has a note with the reason', () => {
  const api_base = 'https://h.example/v1'
  assert.match(notesOf(['m', { model: 'bedrock/anthropic.claude' }]), /AWS credentials are not supported/)
  assert.match(notesOf(['m', { model: 'vertex_ai/gemini-x', vertex_project: 'p' }]), /Google Cloud project/)
  assert.match(notesOf(['m', { model: 'elevenlabs/x' }]), /"elevenlabs" is not supported/)
  assert.match(notesOf(['m', { model: 'whose-is-it' }]), /the provider of whose-is-it is unknown/)
  assert.match(notesOf(['m', { model: 'openai/gpt-99' }]), /openai has no model gpt-99.+catalogue sync/)
  assert.match(notesOf(['m', { model: 'openai/x', api_base: `${api_base}?v=1` }]), /has a query/)
  assert.match(notesOf(['m', { model: 'openai/x', api_base: 'nowhere' }]), /is not a URL/)
  assert.match(notesOf(['m', { model: 'openai/whisper-9' }]), /its output is neither text nor embeddings/)
  assert.match(notesOf(['m', { model: 'openai/x' }, { mode: 'audio_speech' }]), /models of mode audio_speech/)
  assert.match(importFrom({ model_list: [{ model_name: 'm' }] }).notes.join(), /model_list\[0\]: it has no/)
})

test('rows of embeddings become models with this output', () => {
  const own = { api_base: 'http://vllm:8000/v1', model: 'hosted_vllm/own-vectors' }
  const { catalogue } = importFrom({
    model_list: [
      { model_name: 'small', litellm_params: { model: 'openai/text-embedding-3-small' } },
      { model_name: 'mine', litellm_params: own, model_info: { mode: 'embedding' } },
      { model_name: 'bge', litellm_params: { ...own, model: 'hosted_vllm/BAAI/bge-m3' } },
    ],
  })
  assert.deepEqual(catalogue.models['openai/text-embedding-3-small'], { aliases: ['small'] })
  for (const id of ['vllm/own-vectors', 'vllm/bge-m3'])
    assert.deepEqual(catalogue.models[id]!.output_modalities, ['embeddings'], id)
})

test('wildcards become aliases of known models, or model discovery of a server', () => {
  const { catalogue } = importFrom(
    rows(
      ['claude-*', { model: 'anthropic/claude-*' }],
      ['openai/*', { model: 'openai/*' }],
      ['own/*', { model: 'hosted_vllm/*', api_base: 'http://vllm:8000/v1' }],
    ),
  )
  assert.deepEqual(catalogue.models['anthropic/claude-sonnet-4.6'], { aliases: ['claude-sonnet-4-6'] })
  assert.equal(catalogue.models['openai/gpt-5-mini'], undefined)
  assert.deepEqual(
    [catalogue.providers.vllm!.discover, catalogue.providers.vllm!.prices],
    [true, { prompt: '0', completion: '0' }],
  )
})

test('parameters and fallbacks of a row become a preset', () => {
  const { presets, notes } = importFrom({
    ...rows(
      ['smart', { model: 'openai/gpt-5-mini', temperature: 0.2, max_tokens: 900, thinking: { type: 'enabled' } }],
      ['mixed', { model: 'openai/gpt-5-mini' }],
      ['mixed', { model: 'anthropic/claude-sonnet-4-6' }],
      ['plain', { model: 'openai/gpt-5-mini' }],
    ),
    router_settings: { fallbacks: [{ plain: ['smart', 'mixed', 'nobody'] }, { nobody: ['plain'] }] },
  })
  const both = ['openai/gpt-5-mini', 'anthropic/claude-sonnet-4.6']
  const smart = { model: both[0], temperature: 0.2, max_output_tokens: 900, reasoning: { enabled: true } }
  assert.deepEqual(presets, [
    { slug: 'smart', body: smart },
    { slug: 'mixed', body: { models: both } },
    { slug: 'plain', body: { models: both } },
  ])
  assert.ok(notes.includes('fallbacks of nobody: no row of this name was imported'))
  const hints = notes
    .filter((line) => line.includes('@preset/'))
    .map((line) => /its (.*), use the model "(.*)"$/.exec(line)?.slice(1))
  assert.deepEqual(hints, [
    ['parameters', '@preset/smart'],
    ['fallbacks', '@preset/mixed'],
    ['fallbacks', '@preset/plain'],
  ])
})

test('budgets become equal or stricter limits, never looser ones', () => {
  const { objects, notes } = importFrom({
    ...rows(['a', { model: 'openai/gpt-5-mini' }]),
    litellm_settings: {
      max_budget: 10,
      budget_duration: '10d',
      max_internal_user_budget: 5,
      internal_user_budget_duration: '12h',
      default_key_generate_params: { max_budget: 1, duration: '30d', models: 'gone', rpm_limit: 9 },
      default_team_settings: [
        { team_id: 'T 1', max_budget: 7, models: ['a', 'gone'] },
        { team_id: 'T 2', max_budget: 0 },
        { team_id: 'T 3', max_budget: 'os.environ/BUDGET' },
      ],
    },
  })
  assert.deepEqual([objects.budget, objects.defaults], [{ interval: 'monthly', limit_usd: 10 }, {}])
  assert.deepEqual(objects.guardrails, [
    { name: 'LiteLLM internal users', body: { limit_usd: 5, reset_interval: 'daily' }, isForMembers: true },
  ])
  assert.deepEqual(objects.keys, [])
  assert.deepEqual(
    objects.workspaces.map(({ slug, budget, defaults }) => [slug, budget, defaults]),
    [['t-1', { interval: 'lifetime', limit_usd: 7 }, { allowed_models: ['openai/gpt-5-mini'] }]],
  )
  for (const word of [
    /budget_duration 10d: the limit resets monthly/,
    /no key is created/,
    /T 2\.max_budget: 0 is not a positive amount/,
    /T 3\.max_budget: "os/,
  ])
    assert.match(notes.join('\n'), word)
})

test('default_key_generate_params become a key with a limit and an expiry', () => {
  const params = { max_budget: 2.5, budget_duration: '1mo', duration: '90d' }
  const { objects } = importFrom({ litellm_settings: { default_key_generate_params: params } })
  const key = {
    name: 'litellm-default-key',
    limit: 2.5,
    limit_reset: 'monthly',
    expires_at: '2027-02-20T12:00:00.000Z',
  }
  assert.deepEqual(objects.keys, [{ key }])
})

test('guardrails of Presidio and LiteLLM become content filters', () => {
  const patterns = [
    { pattern_type: 'prebuilt', pattern_name: 'us_ssn', action: 'BLOCK' },
    { pattern_type: 'regex', name: 'case', pattern: '\\bCASE-\\d+\\b', action: 'MASK' },
    { pattern_type: 'regex', name: 'behind', pattern: '(?<=a)b', action: 'MASK' },
  ]
  const filter = {
    guardrail: 'litellm_content_filter',
    mode: 'pre_call',
    patterns,
    blocked_words: [{ keyword: 'a.b' }],
  }
  const { objects, notes } = importFrom({
    guardrails: [
      { guardrail_name: 'own', litellm_params: filter },
      { guardrail_name: 'all', litellm_params: { guardrail: 'presidio', mode: 'pre_call', default_on: true } },
      { guardrail_name: 'after', litellm_params: { guardrail: 'presidio', mode: 'post_call' } },
      { guardrail_name: 'out', litellm_params: { guardrail: 'lakera_v2', mode: 'during_call' } },
    ],
    litellm_settings: { guardrails: [{ old: { callbacks: ['hide_secrets'], default_on: true } }] },
  })
  const slugs = (objects.defaults.content_filter_builtins as { slug: string }[]).map(({ slug }) => slug)
  assert.deepEqual(slugs, ['email', 'phone', 'ssn', 'credit-card', 'ip-address', 'secrets', 'person-name', 'address'])
  assert.deepEqual(objects.guardrails, [
    {
      name: 'LiteLLM own',
      body: {
        content_filter_builtins: [{ slug: 'ssn', action: 'block' }],
        content_filters: [
          { pattern: '\\bCASE-\\d+\\b', action: 'redact', label: 'case' },
          { pattern: '(?i)a\\.b', action: 'redact' },
        ],
      },
    },
  ])
  for (const word of [/own behind: the pattern/, /after: mode post_call/, /out: lakera_v2: external services/])
    assert.match(notes.join('\n'), word)
})

test('every setting that is not imported has a note with its name', () => {
  const { notes } = importFrom({
    general_settings: { master_key: 'sk-1', ui: true, enabled_nothing: false, empty: null },
    litellm_settings: { cache: true },
    router_settings: { provider_budget_config: { openai: {} }, model_group_alias: { x: 'gone' } },
    files_settings: [],
    ...rows(['a', { model: 'openai/gpt-5-mini', rpm: 5 }], ['b', { model: 'openai/gpt-5-mini', rpm: 5 }]),
  })
  const text = notes.join('\n')
  for (const name of ['general_settings.master_key', 'general_settings.ui', 'litellm_settings.cache', 'files_settings'])
    assert.ok(text.includes(name), name)
  for (const name of ['router_settings.provider_budget_config', 'model_group_alias x', 'rpm of a, rpm of b:'])
    assert.ok(text.includes(name), name)
  assert.doesNotMatch(text, /enabled_nothing|empty|sk-1/)
})

/** Yields the value with each of its parts replaced by each of some unusual values. */
function* withOddParts(value: unknown): Generator<unknown> {
  yield* [null, 5, 'abc', true, [], {}, [null], [5], ['x'], { a: null }, [[]], [{}]]
  if (typeof value !== 'object' || value === null) return
  for (const [name, part] of Object.entries(value))
    for (const other of withOddParts(part))
      yield Array.isArray(value) ? value.with(Number(name), other) : { ...value, [name]: other }
}

test('any configuration is imported, or rejected with a line', () => {
  const filter = {
    guardrail: 'litellm_content_filter',
    patterns: [{ pattern: 'a' }],
    blocked_words: [{ keyword: 'a' }],
  }
  const params = { model: 'openai/x', api_base: 'http://a:1/v1', api_key: 'sk', thinking: { type: 'enabled' } }
  const whole = {
    ...rows(
      ['m', params, { mode: 'chat', base_model: 'a/b', max_input_tokens: 5 }],
      ['own/*', { ...params, model: 'openai/*' }],
    ),
    guardrails: [
      { guardrail_name: 'g', litellm_params: { ...filter, mode: ['pre_call'], categories: [{ category: 'c' }] } },
    ],
    router_settings: { fallbacks: [{ m: ['n'] }], model_group_alias: { x: { model: 'm' } } },
    litellm_settings: {
      max_budget: 1,
      budget_duration: '1d',
      default_key_generate_params: { max_budget: 1, models: ['m'], duration: '1d' },
      default_internal_user_params: { max_budget: 1, models: ['m'] },
      default_team_settings: [{ team_id: 't', max_budget: 1, models: ['m'] }],
      guardrails: [{ g: { callbacks: ['presidio'], default_on: true } }],
      callbacks: ['presidio'],
    },
    general_settings: { master_key: 'k' },
    credential_list: [{ credential_name: 'c', credential_values: { api_key: 'k' } }],
  }
  let tried = 0
  for (const config of withOddParts(whole)) {
    tried++
    try {
      importFrom(config as object)
    } catch (error) {
      assert.ok(error instanceof CatalogueError, `${JSON.stringify(config)}: ${error}`)
      assert.match(error.message, /line \d/)
    }
  }
  assert.ok(tried > 500)
})
