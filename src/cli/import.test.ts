import assert from 'node:assert/strict'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { loadCatalogue } from '#catalogue/load.ts'
import { runCli } from './cli.ts'

const scratch = mkdtempSync(join(tmpdir(), 'signalbox-import-'))
after(() => rmSync(scratch, { recursive: true, force: true }))
const page = readFileSync(fileURLToPath(new URL('../../docs/from-litellm.md', import.meta.url)), 'utf8')
const example = /^```yaml\n(.*?)^```$/ms.exec(page)?.[1] ?? ''

test('import litellm writes a catalogue that is in order, lists what it could not take, and copies no key', async () => {
  const config = join(scratch, 'config.yaml')
  const more = `  - { model_name: free?, litellm_params: { model: openai/x, api_base: "http://127.0.0.1:1/v1", api_key: sk-secret } }
  - { model_name: paid, litellm_params: { model: openai/y, api_base: "http://127.0.0.1:1/v1", api_key: sk-secret, input_cost_per_token: 0.000001, output_cost_per_token: 0 } }
general_settings: { master_key: sk-master }
`
  writeFileSync(config, example + more)
  const file = join(scratch, 'catalogue.yaml')
  const said: string[] = []
  const terminal = { env: {}, out: (text: string) => void said.push(text), err: (text: string) => void said.push(text) }
  assert.equal(await runCli(['import', 'litellm', config, '--out', file], terminal), 0, said.join('\n'))
  const { data, report } = await loadCatalogue({ starter_catalogue: false, data_dir: scratch, catalogue_file: file })
  assert.deepEqual(report.skipped, [])
  const models = data.models.map(({ aliases, contextLength, endpoints }) => [
    aliases,
    contextLength,
    endpoints[0]?.prices,
  ])
  assert.deepEqual(models, [
    [['house-model'], 32_768, { prompt: '0.0000001', completion: '0.0000003' }],
    [['paid'], 131_072, { prompt: '0.000001', completion: '0' }],
  ])
  const told = said.join('\n')
  assert.match(told, /model_list\[1\] free\?: it says no input_cost_per_token/)
  assert.match(told, /general_settings\.master_key: docs\/from-litellm\.md/)
  assert.doesNotMatch(told + readFileSync(file, 'utf8'), /sk-secret|sk-master/)
  assert.equal(await runCli(['import', 'litellm', config, '--out', file], terminal), 1)
  assert.match(said.at(-1)!, /is there already/)
})
