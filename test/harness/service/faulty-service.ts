import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { FaultyUpstream } from '../upstream/faulty-upstream.ts'
import { startTestService, type TestService } from './service.ts'

/** Prices that make every token count: USD per million. */
const prices = { prompt: 1, completion: 10 }
const supported_parameters = ['tools', 'temperature']
/** Longer than any operation takes, even on a busy machine. Tests of a deadline set their own value. */
const longTimeoutMs = 300_000

/**
 * A service with a model `faulty/<play>` for each play, which only `faulty` serves, and `backed/<play>`, which `sound`
 * serves, too. `faulty/refused` and `faulty/mute` cannot even be connected to.
 */
export async function startFaultyService(
  upstream: FaultyUpstream,
  plays: string[],
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
  const offer = (play: string) => ({ model: play, prices, supported_parameters })
  const models = plays.flatMap((play) => [
    model(`faulty/${play}`, { faulty: offer(play) }),
    model(`backed/${play}`, { faulty: offer(play), sound: offer('ok') }),
  ])
  for (const play of ['refused', 'mute']) {
    models.push(model(`faulty/${play}`, { [play]: offer(play) }))
    models.push(model(`backed/${play}`, { [play]: offer(play), sound: offer('ok') }))
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
