import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { FaultyUpstream } from '../upstream/faulty/faulty-upstream.ts'
import { startTestService, type TestService } from './service.ts'

/** Prices that make every token count: USD per million. */
const prices = { prompt: 1, completion: 10 }
const supported_parameters = ['tools', 'temperature']
/** Longer than any operation takes, even on a busy machine. Tests of a deadline set their own value. */
const longTimeoutMs = 300_000

/**
 * A service with two models for each behaviour of the upstream: only the provider `faulty` serves `faulty/<behaviour>`;
 * the provider `sound`, whose responses are valid, also serves `backed/<behaviour>`. No connection to the providers
 * `refused` and `mute` can be established.
 */
export async function startFaultyService(
  upstream: FaultyUpstream,
  behaviours: string[],
  options: Parameters<typeof startTestService>[0] = {},
): Promise<TestService> {
  const folder = mkdtempSync(join(tmpdir(), 'signalbox-faulty-'))
  const file = join(folder, 'catalogue.json')
  const compatibility = { stops_on_disconnect: true }
  const provider = (name: string, base_url: string) => ({ name, protocol: 'openai-chat', base_url, compatibility })
  const model = (id: string, endpoints: object) => [
    id,
    { name: id, created: '2026-01-01', context_length: 100_000, endpoints },
  ]
  const offer = (behaviour: string) => ({ model: behaviour, prices, supported_parameters })
  const models = behaviours.flatMap((behaviour) => [
    model(`faulty/${behaviour}`, { faulty: offer(behaviour) }),
    model(`backed/${behaviour}`, { faulty: offer(behaviour), sound: offer('ok') }),
  ])
  for (const behaviour of ['refused', 'mute']) {
    models.push(model(`faulty/${behaviour}`, { [behaviour]: offer(behaviour) }))
    models.push(model(`backed/${behaviour}`, { [behaviour]: offer(behaviour), sound: offer('ok') }))
  }
  const providers = {
    faulty: provider('Faulty', upstream.url),
    sound: provider('Sound', upstream.url),
    refused: provider('Refused', 'http://127.0.0.1:1/v1'),
    mute: provider('Mute', upstream.tlsUrl),
  }
  writeFileSync(file, JSON.stringify({ providers, models: Object.fromEntries(models) }))
  const service = await startTestService({
    ...options,
    settings: {
      catalogue_file: file,
      starter_catalogue: 'false' as never,
      connect_timeout_ms: longTimeoutMs,
      first_byte_timeout_ms: longTimeoutMs,
      whole_response_timeout_ms: longTimeoutMs,
      silence_timeout_ms: longTimeoutMs,
      ...options.settings,
    },
  })
  return {
    ...service,
    async [Symbol.asyncDispose]() {
      await service[Symbol.asyncDispose]()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** The text of a stream's content deltas. */
export function textOf(stream: string): string {
  return chunksOf(stream)
    .map((chunk) => chunk.choices[0]?.delta?.content ?? '')
    .join('')
}

export function chunksOf(stream: string): any[] {
  return [...stream.matchAll(/^data: (\{.*)$/gm)].map(([, json]) => JSON.parse(json!))
}
