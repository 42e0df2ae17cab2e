import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startTestService, type TestService } from '../service/service.ts'
import { type Received, startScriptedUpstream } from './scripted-upstream.ts'

/** A service whose one model has several endpoints, each of which caches the prompts that it has seen. */
export type CachingService = AsyncDisposable & {
  service: TestService
  /** The called endpoints, in order. */
  calledEndpoints: () => string[]
  /** Prompt tokens so far, and how many of them were found in a cache. */
  tokens: { prompt: number; cached: number }
}

const endpointNames = ['north', 'south', 'west']

export async function startCachingService(): Promise<CachingService> {
  const tokens = { prompt: 0, cached: 0 }
  const caches = new Map(endpointNames.map((name) => [name, new Set<string>()]))
  const upstream = await startScriptedUpstream((received) => {
    const cache = caches.get(endpointOf(received))!
    const prefixes = (received.body.messages as object[]).map((_, at, all) => JSON.stringify(all.slice(0, at + 1)))
    const cachedPrefix = prefixes.findLast((prefix) => cache.has(prefix))
    for (const prefix of prefixes) cache.add(prefix)
    const usage = { prompt: prefixes.at(-1)!.length, cached: cachedPrefix?.length ?? 0 }
    tokens.prompt += usage.prompt
    tokens.cached += usage.cached
    return { status: 200, type: 'application/json', body: JSON.stringify(createResponse(usage)) }
  })
  const folder = mkdtempSync(join(tmpdir(), 'signalbox-caching-'))
  const catalogue_file = join(folder, 'catalogue.json')
  writeFileSync(catalogue_file, JSON.stringify(catalogueOn(upstream.url)))
  const settings = { catalogue_file, starter_catalogue: 'false' as never }
  const service = await startTestService({ settings, variables: { TEST_KEY: 'upstream-secret' } })
  return {
    service,
    calledEndpoints: () => upstream.requests.map(endpointOf),
    tokens,
    async [Symbol.asyncDispose]() {
      await service[Symbol.asyncDispose]()
      await upstream[Symbol.asyncDispose]()
      rmSync(folder, { recursive: true })
    },
  }
}

const endpointOf = ({ path }: Received) => path.split('/')[1]!

function createResponse({ prompt, cached }: CachingService['tokens']): object {
  const usage = { prompt_tokens: prompt, completion_tokens: 2, prompt_tokens_details: { cached_tokens: cached } }
  const message = { role: 'assistant', content: 'So be it.' }
  const choices = [{ index: 0, message, finish_reason: 'stop' }]
  return { id: 'chatcmpl-1', object: 'chat.completion', created: 1, model: 'm', choices, usage }
}

function catalogueOn(url: string): object {
  const provider = (name: string) => ({
    name,
    protocol: 'openai-chat',
    base_url: `${url}/${name}`,
    credentials: ['TEST_KEY'],
  })
  const offer = { model: 'm', prices: { prompt: 1, completion: 2 }, supported_parameters: ['max_tokens'] }
  const endpoints = Object.fromEntries(endpointNames.map((name) => [name, offer]))
  return {
    providers: Object.fromEntries(endpointNames.map((name) => [name, provider(name)])),
    models: { 'a/m': { name: 'M', created: '2026-01-01', context_length: 1_000_000, endpoints } },
  }
}
