import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { DatabaseKind } from '../database/databases.ts'
import { until } from '../until.ts'
import {
  type BillingBehaviour,
  type BillingUpstream,
  type BillResponse,
  startBillingUpstream,
} from '../upstream/faulty/billing-upstream.ts'
import { startTestService, type TestService } from './service.ts'

/** In USD per million tokens. */
type BilledPrices = { prompt: number; completion: number }

type Options = {
  kind?: DatabaseKind
  prices: BilledPrices
  behaviours: Record<string, BillingBehaviour>
  /** Additional properties of a model's endpoints, by the behaviour's name. */
  endpointProperties?: Record<string, object>
  /** Responses to requests for earlier bills. */
  billResponse?: BillResponse
  settings?: NonNullable<Parameters<typeof startTestService>[0]>['settings']
}

/** A service, and a provider that records what it bills. The model `billed/<name>` has the behaviour of that name. */
export type BilledService = AsyncDisposable & {
  service: TestService
  /** Settings for another server on the same database. */
  settings: NonNullable<Options['settings']>
  upstream: BillingUpstream
  /** A key with a limit in USD. */
  keyWith: (limit: number) => Promise<string>
  billed: () => number
  /** The remaining amount of the key's limit. */
  left: (key: string) => Promise<number>
}

export async function startBilled({
  kind,
  prices,
  behaviours,
  endpointProperties,
  billResponse,
  settings,
}: Options): Promise<BilledService> {
  const upstream = await startBillingUpstream(behaviours, billResponse)
  const folder = mkdtempSync(join(tmpdir(), 'signalbox-billed-'))
  const file = join(folder, 'catalogue.json')
  const models = Object.keys(behaviours).map((name) => {
    const offer = { model: name, prices, supported_parameters: ['tools', 'temperature'], ...endpointProperties?.[name] }
    const inputs = { input_modalities: ['text', 'image'] }
    const endpoints = { billing: offer, spare: { ...offer, prices } }
    return [`billed/${name}`, { name, created: '2026-01-01', context_length: 200_000, ...inputs, endpoints }]
  })
  const provider = (name: string) => ({ name, protocol: 'openai-chat', base_url: upstream.url })
  const providers = { billing: provider('Billing'), spare: provider('Spare') }
  writeFileSync(file, JSON.stringify({ providers, models: Object.fromEntries(models) }))
  const allSettings = { catalogue_file: file, starter_catalogue: 'false' as never, ...settings }
  const service = await startTestService({ ...(kind && { kind }), settings: allSettings })
  return {
    service,
    settings: allSettings,
    upstream,
    async keyWith(limit) {
      return (await service.manage('POST', '/keys', { name: 'limited', limit })).body.key
    },
    billed: () => upstream.billedUsd(prices),
    async left(key) {
      return (await service.ask('GET', '/key', { key })).body.data.limit_remaining
    },
    async [Symbol.asyncDispose]() {
      await service[Symbol.asyncDispose]()
      await upstream[Symbol.asyncDispose]()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/**
 * Sends a request, reads until that is enough, and disconnects.
 * @returns the status; 0 if it disconnected before the status.
 */
export async function leaveAt(
  { service }: BilledService,
  key: string,
  body: object,
  until: (text: string) => boolean,
  path = '/chat/completions',
): Promise<number> {
  const disconnect = new AbortController()
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
  const response = await fetch(service.url + path, {
    method: 'POST',
    headers,
    body: JSON.stringify(body),
    signal: disconnect.signal,
  })
  let text = ''
  for await (const chunk of response.body!.pipeThrough(new TextDecoderStream())) {
    text += chunk
    if (until(text)) break
  }
  disconnect.abort()
  return response.status
}

/** Requests a whole response. */
export function ask({ service }: BilledService, key: string, body: object, path = '/chat/completions') {
  return service.ask('POST', path, { key, body })
}

/**
 * Sends a request, and disconnects this many milliseconds after the provider received it. A request that the
 * service refuses never reaches the provider: then this returns with its response.
 */
export async function leaveAfter(billed: BilledService, key: string, body: object, ms: number): Promise<void> {
  const { requests } = billed.upstream
  const before = requests.length
  const disconnect = new AbortController()
  const pending = fetch(`${billed.service.url}/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
    signal: disconnect.signal,
  })
  let isOver = false
  const finished = pending
    .then((response) => response.text())
    .catch(() => {})
    .finally(() => {
      isOver = true
    })
  await until(() => isOver || requests.length > before)
  await Promise.race([finished, sleep(ms)])
  disconnect.abort()
  await finished
}
