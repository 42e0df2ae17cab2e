import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Protocol } from '#platform/core/vocabulary.ts'
import { startTestService, type TestService } from '../service/service.ts'
import { upstreamProtocols } from './provider-facts.ts'
import { recordingFor, type ScriptedUpstream, startScriptedUpstream } from './scripted-upstream.ts'

const failing = ['status-400', 'status-401', 'status-429', 'status-529']
const recordings = ['text', 'parallel-tools', 'reasoning', 'thinking-tools', 'refusal', 'error', 'cited', ...failing]

/** A service whose only models are recordings, `<protocol>/<recording>`, each served by a provider of its protocol. */
export type RecordedProviders = AsyncDisposable & { service: TestService; upstream: ScriptedUpstream }

/** @param policy the data policy of the providers. */
export function startWithRecordings(policy: { zdr?: boolean } = {}): Promise<RecordedProviders> {
  return startWithUpstream(recordingFor, recordings, { policy })
}

type Options = {
  policy?: { zdr?: boolean }
  /** More providers that speak chat completions. */
  chatServers?: readonly string[]
  /** The compatibility of each provider in the catalogue. */
  compatibility?: Readonly<Record<string, object>>
  settings?: NonNullable<Parameters<typeof startTestService>[0]>['settings']
}

/** A service whose only models are `<protocol>/<name>`, each served by a provider of its protocol with this response. */
export async function startWithUpstream(
  response: Parameters<typeof startScriptedUpstream>[0],
  names: readonly string[],
  { policy = {}, chatServers = [], compatibility = {}, settings: more }: Options = {},
): Promise<RecordedProviders> {
  const upstream = await startScriptedUpstream(response)
  const folder = mkdtempSync(join(tmpdir(), 'signalbox-recordings-'))
  const catalogue_file = join(folder, 'catalogue.json')
  writeFileSync(
    catalogue_file,
    JSON.stringify(catalogueOn(upstream.url, names, policy, { chatServers, compatibility })),
  )
  const settings = { catalogue_file, starter_catalogue: 'false' as never, ...more }
  const service = await startTestService({ settings, variables: { TEST_KEY: 'upstream-secret' } })
  return {
    service,
    upstream,
    async [Symbol.asyncDispose]() {
      await service[Symbol.asyncDispose]()
      await upstream[Symbol.asyncDispose]()
      rmSync(folder, { recursive: true })
    },
  }
}

function catalogueOn(
  url: string,
  names: readonly string[],
  data_policy: object,
  { chatServers, compatibility }: Required<Pick<Options, 'chatServers' | 'compatibility'>>,
): object {
  const supported_parameters = ['tools', 'tool_choice', 'reasoning', 'max_tokens', 'structured_outputs', 'top_k']
  const offer = { prices: { prompt: 1, completion: 2 }, supported_parameters, data_policy }
  const facts = {
    created: '2026-01-01',
    context_length: 100_000,
    input_modalities: ['text', 'image', 'file', 'audio', 'video'],
  }
  const providers: [string, Protocol][] = [
    ...upstreamProtocols.map((protocol): [string, Protocol] => [protocol, protocol]),
    ...chatServers.map((server): [string, Protocol] => [server, 'openai-chat']),
  ]
  const modelsOf = ([provider]: [string, Protocol]) =>
    names.map((name) => {
      const endpoints = { [provider]: { model: name, ...offer } }
      return [`${provider}/${name}`, { name, ...facts, endpoints }]
    })
  const providerOf = ([provider, protocol]: [string, Protocol]) => {
    const base_url = `${url}/${provider}`
    return [
      provider,
      { name: provider, protocol, base_url, credentials: ['TEST_KEY'], compatibility: compatibility[provider] },
    ]
  }
  return {
    providers: Object.fromEntries(providers.map(providerOf)),
    models: Object.fromEntries(providers.flatMap(modelsOf)),
  }
}
