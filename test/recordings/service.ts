import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Protocol } from '#platform/core/vocabulary.ts'
import { startTestService, type TestService } from '#test/harness/service/service.ts'
import {
  type Received,
  type ScriptedUpstream,
  startScriptedUpstream,
} from '#test/harness/upstream/scripted-upstream.ts'
import { modelOf, type Recording } from './recordings.ts'

export type Player = AsyncDisposable & {
  service: TestService
  upstream: ScriptedUpstream
  /** The id of the model that answers with this recording, from a provider of its own protocol. */
  modelFor: (recording: Recording) => string
}

/** A service before an upstream that plays recordings: the model's name says which. */
export async function startPlayer(recordings: readonly Recording[]): Promise<Player> {
  const upstream = await startScriptedUpstream((received) => {
    const { status, content_type: type, answer } = recordings[numberIn(received)]!
    return { status, type: type ?? 'application/json', body: answer }
  })
  const folder = mkdtempSync(join(tmpdir(), 'signalbox-recordings-'))
  const catalogue_file = join(folder, 'catalogue.json')
  writeFileSync(catalogue_file, JSON.stringify(catalogueOf(recordings, upstream.url)))
  const settings = { catalogue_file, starter_catalogue: 'false' as never }
  const service = await startTestService({ settings, variables: { TEST_KEY: 'upstream-secret' } })
  const ids = new Map(recordings.map((recording, at) => [recording, idOf(at)]))
  return {
    service,
    upstream,
    modelFor: (recording) => ids.get(recording)!,
    async [Symbol.asyncDispose]() {
      await service[Symbol.asyncDispose]()
      await upstream[Symbol.asyncDispose]()
      rmSync(folder, { recursive: true })
    },
  }
}

const idOf = (at: number) => `recorded/r${at}`

function numberIn({ path, body }: Received): number {
  const model: string = body.model ?? decodeURIComponent(path)
  return Number(/--r(\d+)/.exec(model)?.[1])
}

function catalogueOf(recordings: readonly Recording[], url: string): object {
  const protocols = [...new Set(recordings.map(({ protocol }) => protocol))]
  const providerOf = (protocol: Protocol) => {
    const base_url = `${url}/${protocol}`
    return [protocol, { name: `Recorded ${protocol}`, protocol, base_url, credentials: ['TEST_KEY'] }]
  }
  const supported_parameters = ['tools', 'tool_choice', 'reasoning', 'max_tokens', 'structured_outputs']
  const offer = { prices: { prompt: 1, completion: 2 }, supported_parameters }
  const modelFor = (recording: Recording, at: number) => {
    const model = `${modelOf(recording)}--r${at}`
    const facts = { name: recording.name, created: '2026-01-01', context_length: 1_000_000 }
    return [
      idOf(at),
      {
        ...facts,
        input_modalities: ['text', 'image', 'audio', 'file'],
        endpoints: { [recording.protocol]: { model, ...offer } },
      },
    ]
  }
  return {
    providers: Object.fromEntries(protocols.map(providerOf)),
    models: Object.fromEntries(recordings.map(modelFor)),
  }
}
