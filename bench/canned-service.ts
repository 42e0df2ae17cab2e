import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { apiKey } from './servers.ts'

type CannedModels = { providers: string[]; models?: string[]; contextLength?: number }

/**
 * The environment of a service whose models `canned/…` are answered by the fixed upstream. Writes its catalogue into the folder.
 * @param upstream the URL of the fixed upstream, which each of the providers has.
 */
export function cannedEnvironment(
  folder: string,
  upstream: string,
  { providers, models = ['model'], contextLength = 100_000 }: CannedModels,
): Record<string, string> {
  const file = join(folder, 'catalogue.json')
  const provider = { name: 'Canned', protocol: 'openai-chat', base_url: upstream, credentials: ['CANNED_API_KEY'] }
  const toModel = (name: string) => {
    const endpoint = { prices: { prompt: 1, completion: 2 }, supported_parameters: ['temperature'], model: name }
    const endpoints = Object.fromEntries(providers.map((id) => [id, endpoint]))
    return [`canned/${name}`, { name, created: '2026-01-01', context_length: contextLength, endpoints }]
  }
  const catalogue = {
    providers: Object.fromEntries(providers.map((id) => [id, provider])),
    models: Object.fromEntries(models.map(toModel)),
  }
  writeFileSync(file, JSON.stringify(catalogue))
  return {
    PORT: '0',
    HOST: '127.0.0.1',
    DATA_DIR: join(folder, 'data'),
    CATALOGUE_FILE: file,
    BOOTSTRAP_API_KEY: apiKey,
    CANNED_API_KEY: 'secret',
    LOG_FORMAT: 'json',
    DEMO_INTERN: 'false',
  }
}
