import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startConsole } from '../../browser/console.ts'
import { type DemoUpstream, startDemoUpstream } from '../../upstream/demo-upstream.ts'
import type { TestService } from '../service.ts'
import { untilMetered } from './generation-record.ts'

/** A service whose models have prices and several providers, and requests of every kind, as data for a console. */
export type DemoWorld = AsyncDisposable & {
  service: TestService
  /**
   * Sends this many requests.
   * @returns the ids of the requests, in the order of sending.
   */
  ask: (count: number) => Promise<string[]>
  /** The keys in use, by purpose. */
  keys: { bot: string; restricted: string }
  guardrailId: string
  /** The last request to a provider. */
  lastRequest: DemoUpstream['lastRequest']
}

const offer = (model: string, prompt: number, completion: number) => ({
  model,
  prices: { prompt, completion, cache_read: prompt / 10 },
  supported_parameters: ['temperature', 'max_tokens'],
})

/** Prices in USD for a million tokens. */
const models = {
  'anthropic/claude-sonnet-5': {
    busy: offer('claude-sonnet-5', 0.05, 0.2),
    anthropic: offer('claude-sonnet-5', 2, 10),
  },
  'openai/gpt-5.4-mini': { openai: offer('gpt-5.4-mini', 0.25, 2) },
  'google/gemini-3-flash': { google: offer('gemini-3-flash', 0.1, 0.4) },
  'deepseek/deepseek-v4': { deepinfra: offer('deepseek-v4', 0.5, 1.5), openai: offer('deepseek-v4', 0.9, 2) },
  'mistralai/mistral-small': { busy: offer('mistral-small', 0.1, 0.3) },
}

const scores: Record<string, number> = {
  'anthropic/claude-sonnet-5': 41.4,
  'openai/gpt-5.4-mini': 64.2,
  'google/gemini-3-flash': 52.9,
  'deepseek/deepseek-v4': 66.6,
  'mistralai/mistral-small': 30.1,
}

const credentials = ['ANTHROPIC_API_KEY', 'OPENAI_API_KEY', 'GOOGLE_API_KEY', 'DEEPINFRA_API_KEY']

function catalogue({ url }: DemoUpstream) {
  const provider = (name: string, slug: string) => ({ name, protocol: 'openai-chat', base_url: `${url}/${slug}/v1` })
  const providers = {
    anthropic: provider('Anthropic', 'anthropic'),
    openai: provider('OpenAI', 'openai'),
    google: provider('Google', 'google'),
    deepinfra: provider('DeepInfra', 'deepinfra'),
    busy: provider('Vertex', 'busy'),
  }
  const entries = Object.entries(models).map(([id, endpoints]) => [
    id,
    {
      name: id.split('/')[1],
      created: '2026-01-01',
      context_length: 128_000,
      endpoints,
      ...(id.startsWith('google/') && { input_modalities: ['text', 'image'] }),
      ...(id in scores && { benchmarks: { intelligence: scores[id] } }),
    },
  ])
  return { providers, models: Object.fromEntries(entries) }
}

type Options = Parameters<typeof startConsole>[0] & { upstreamOptions?: Parameters<typeof startDemoUpstream>[0] }

export async function startDemoWorld({ upstreamOptions, ...options }: Options = {}): Promise<DemoWorld> {
  const upstream = await startDemoUpstream(upstreamOptions)
  const folder = mkdtempSync(join(tmpdir(), 'signalbox-demo-'))
  const file = join(folder, 'catalogue.json')
  writeFileSync(file, JSON.stringify(catalogue(upstream)))
  const variables = Object.fromEntries(credentials.map((name) => [name, 'demo']))
  const settings = { catalogue_file: file, ...options.settings }
  const service = await startConsole({ variables, ...options, settings })
  const createKey = async (name: string, limit?: number) =>
    (await service.manage('POST', '/keys', { name, ...(limit && { limit }) })).body
  const [bot, restricted] = [await createKey('ci-bot', 50), await createKey('shut-in')]
  const guardrail = { name: 'Only what the contract names', ignored_models: ['openai/gpt-5.4-mini'] }
  const guardrailId: string = (await service.manage('POST', '/guardrails', guardrail)).body.data.id
  await service.manage('POST', `/guardrails/${guardrailId}/assignments/keys`, { key_hashes: [restricted.data.hash] })
  const keys = { bot: bot.key, restricted: restricted.key }
  return {
    service,
    keys,
    guardrailId,
    lastRequest: upstream.lastRequest,
    ask: (count) => askAll(service, keys, count),
    async [Symbol.asyncDispose]() {
      await service[Symbol.asyncDispose]()
      await upstream[Symbol.asyncDispose]()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** Every kind of request in turn: a response, the second provider, a refusal, a long prompt, a failure. */
const kinds = [
  { model: 'openai/gpt-5.4-mini', stream: true },
  { model: 'anthropic/claude-sonnet-5', stream: true, long: true },
  { model: 'openai/gpt-5.4-mini', restricted: true },
  { model: 'google/gemini-3-flash', session: true },
  { model: 'deepseek/deepseek-v4', stream: true, session: true },
  { model: 'mistralai/mistral-small' },
  { model: 'google/gemini-3-flash', stream: true, long: true },
  { model: 'signalbox/demo', stream: true },
]

async function askAll(service: TestService, keys: DemoWorld['keys'], count: number): Promise<string[]> {
  const ids: string[] = []
  for (let index = 0; index < count; index++) {
    const { model, stream = false, long, restricted, session } = kinds[index % kinds.length]!
    const content = `Which of these invoices has the wrong VAT id? ${long ? 'DE811907980 paid. '.repeat(200) : ''}`
    const body = { model, stream, messages: [{ role: 'user', content }], ...(session && { session_id: 'invoices' }) }
    const key = restricted ? keys.restricted : index % 3 ? keys.bot : service.apiKey
    const { headers } = await service.ask('POST', '/chat/completions', { key, body })
    ids.push(headers.get('x-generation-id') ?? '')
  }
  const last = ids.at(-1)
  if (last) await untilMetered(service, last)
  return ids
}
