import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startTestService, type TestService } from '../service/service.ts'

/** The properties of a model that tests of lists set; the others have ordinary values. */
type Facts = Record<string, unknown> & { endpoints?: Record<string, Record<string, unknown>> }

const providers = {
  north: { name: 'North Cloud', protocol: 'openai-chat', base_url: 'http://127.0.0.1:9/v1' },
  south: {
    name: 'South',
    protocol: 'openai-chat',
    base_url: 'http://127.0.0.1:9/v1',
    credentials: ['SOUTH_API_KEY'],
  },
}

const defaultOffer = { prices: { prompt: 1, completion: 2 }, supported_parameters: ['temperature'] }

/** A service that has exactly these models; `others` are additional providers of them. */
export async function startWithModels(
  models: Record<string, Facts>,
  options: Parameters<typeof startTestService>[0] = {},
  others: Record<string, object> = {},
): Promise<TestService> {
  const folder = mkdtempSync(join(tmpdir(), 'signalbox-catalogue-'))
  const file = join(folder, 'catalogue.json')
  const entries = Object.entries(models).map(([id, { endpoints = { north: {} }, ...facts }]) => {
    const offers = Object.entries(endpoints).map(([tag, offer]) => [tag, { model: id, ...defaultOffer, ...offer }])
    const model = { name: id, created: '2026-01-01', context_length: 1000, ...facts }
    return [id, { ...model, endpoints: Object.fromEntries(offers) }]
  })
  writeFileSync(file, JSON.stringify({ providers: { ...providers, ...others }, models: Object.fromEntries(entries) }))
  // Settings are strings, as in environment variables.
  const settings = { catalogue_file: file, starter_catalogue: 'false' as never, ...options.settings }
  const service = await startTestService({ ...options, settings })
  return {
    ...service,
    async [Symbol.asyncDispose]() {
      await service[Symbol.asyncDispose]()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** The model ids in the list at a path. */
export async function idsOf(service: TestService, path: string): Promise<string[]> {
  const { status, body, text } = await service.ask('GET', path)
  if (status !== 200) throw new Error(text)
  return body.data.map((model: { id: string }) => model.id)
}
