import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { chatClientProtocols } from '#gateway/clients/client-protocols.ts'
import type { Protocol } from '#platform/core/vocabulary.ts'
import { startTestService } from '#test/harness/service/service.ts'
import { providerFacts, simulatedProtocols, type UpstreamProtocol } from '#test/harness/upstream/provider-facts.ts'
import { recordingFor, startScriptedUpstream } from '#test/harness/upstream/scripted-upstream.ts'

export type Body = Record<string, any>

/** The result of a request: the body that its upstream received, or the message with which it was refused before. */
export type Asked = { sent: Body } | { refused: string }

/** A service before one upstream of each protocol, which answers everything alike. */
export type Asker = AsyncDisposable & {
  ask: (client: Protocol, upstream: Protocol, body: Body) => Promise<Asked>
}

export const pathOf = Object.fromEntries(
  chatClientProtocols.map(({ protocol, operation }) => [protocol, operation.path]),
)

export async function startAsker(): Promise<Asker> {
  const upstream = await startScriptedUpstream(({ path, ...received }) =>
    recordingFor({
      ...received,
      path: path.replace(/models\/[^:]+/, 'models/text'),
      body: { ...received.body, model: 'text' },
    }),
  )
  const folder = mkdtempSync(join(tmpdir(), 'signalbox-asker-'))
  const catalogue_file = join(folder, 'catalogue.json')
  writeFileSync(catalogue_file, JSON.stringify(catalogueOn(upstream.url)))
  const settings = { catalogue_file, starter_catalogue: 'false' as never }
  const service = await startTestService({ settings, variables: { TEST_KEY: 'upstream-secret' } })
  async function put(path: string, body: Body): Promise<Asked> {
    const before = upstream.requests.length
    const reply = await service.ask('POST', path, { body })
    const received = upstream.requests[before]
    return received ? { sent: received.body } : { refused: reply.body?.error?.message ?? `status ${reply.status}` }
  }

  /** Many recordings ask the same. */
  const request = new Map<string, Promise<Asked>>()
  return {
    ask(client, protocol, given) {
      const body = { ...given, model: `asked/${protocol}` }
      return request.getOrInsertComputed(client + JSON.stringify(body), () => put(pathOf[client]!, body))
    },
    async [Symbol.asyncDispose]() {
      await service[Symbol.asyncDispose]()
      await upstream[Symbol.asyncDispose]()
      rmSync(folder, { recursive: true })
    },
  }
}

function catalogueOn(url: string): object {
  const supported_parameters = ['tools', 'tool_choice', 'reasoning', 'max_tokens', 'structured_outputs']
  const offer = { prices: { prompt: 1, completion: 2 }, supported_parameters }
  const facts = {
    created: '2026-01-01',
    context_length: 1_000_000,
    input_modalities: ['text', 'image', 'audio', 'file', 'video'],
  }
  const providerOf = (protocol: Protocol) => {
    const base_url = `${url}/${protocol}`
    return [protocol, { name: protocol, protocol, base_url, credentials: ['TEST_KEY'] }]
  }
  const modelOf = (protocol: UpstreamProtocol) => {
    const endpoints = { [protocol]: { model: providerFacts[protocol].model, ...offer } }
    return [`asked/${protocol}`, { name: protocol, ...facts, endpoints }]
  }
  return {
    providers: Object.fromEntries(simulatedProtocols.map(providerOf)),
    models: Object.fromEntries(simulatedProtocols.map(modelOf)),
  }
}
