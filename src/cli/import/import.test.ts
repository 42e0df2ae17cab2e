import assert from 'node:assert/strict'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { parse } from 'yaml'
import { loadCatalogue } from '#catalogue/sources/load.ts'
import { startTestService } from '#test/harness/service/service.ts'
import { runCli } from '../cli.ts'

const scratch = mkdtempSync(join(tmpdir(), 'signalbox-import-'))
after(() => rmSync(scratch, { recursive: true, force: true }))
const page = readFileSync(fileURLToPath(new URL('../../../docs/from-litellm.md', import.meta.url)), 'utf8')
const [config = '', catalogue = ''] = [...page.matchAll(/^```yaml\n(.*?)^```$/gms)].map(([, block]) => block!)

let count = 0

/** Runs the import. Without --out, it writes a new file. */
async function runImport(config: string, args: string[] = [], variables: Record<string, string> = {}) {
  const name = join(scratch, `config-${++count}`)
  writeFileSync(`${name}.yaml`, config)
  const lines: string[] = []
  const print = (text: string) => void lines.push(text)
  const env = { DATA_DIR: join(scratch, 'data'), ...variables }
  const file = `${name}.catalogue.yaml`
  const line = ['import', 'litellm', `${name}.yaml`, ...(args.includes('--out') ? [] : ['--out', file]), ...args]
  const code = await runCli(line, { env, out: print, err: print })
  return { code, output: lines.join('\n'), file }
}

const undated = (content: any) => {
  for (const model of Object.values<any>(content.models)) if (model.name === 'Qwen3-32B') delete model.created
  return content
}

test('import litellm writes the valid catalogue file that docs/from-litellm.md shows', async () => {
  const { code, output, file } = await runImport(config)
  assert.equal(code, 0, output)
  assert.deepEqual(undated(parse(readFileSync(file, 'utf8'))), undated(parse(catalogue)))
  const settings = { starter_catalogue: true, data_dir: scratch, catalogue_file: file }
  assert.deepEqual((await loadCatalogue(settings)).report.skipped, [])
  for (const note of ['pii IBAN_CODE', 'rpm of house', 'cache', 'master_key'])
    assert.match(output, new RegExp(`^ .*${note}`, 'm'))
  assert.match(output, /run this command again/)
})

test('with a key, import creates guardrails, workspaces, keys and presets only once', async () => {
  const { file } = await runImport(config)
  await using service = await startTestService({ settings: { catalogue_file: file } })
  const variables = { SIGNALBOX_URL: service.url, SIGNALBOX_KEY: service.managementKey }
  const first = await runImport(config, ['--out', file], variables)
  assert.equal(first.code, 0, first.output)
  const { body: workspaces } = await service.manage('GET', '/workspaces')
  const defaults = async (slug: string) => {
    const { default_guardrail_id: id } = workspaces.data.find((one: any) => one.slug === slug)
    return (await service.manage('GET', `/guardrails/${id}`)).body.data
  }
  const own = await defaults('default')
  assert.equal(own.limit_usd, null)
  const shared = (await service.manage('GET', '/organization/budgets/monthly')).body.data
  assert.equal(shared.limit_usd, 500)
  assert.deepEqual(
    own.content_filter_builtins.map((one: any) => [one.slug, one.action]),
    [
      ['email', 'redact'],
      ['credit-card', 'block'],
    ],
  )
  const research = await defaults('research')
  assert.deepEqual(research.content_filter_builtins, own.content_filter_builtins)
  const ofTeam = (await service.manage('GET', '/workspaces/research/budgets/monthly')).body.data
  assert.equal(ofTeam.limit_usd, 100)
  const secrets = Object.fromEntries(
    [...first.output.matchAll(/the API key "([\w-]+)"\. It is shown only once: (\S+)/g)].map(([, name, key]) => [
      name,
      key!,
    ]),
  )
  assert.deepEqual(Object.keys(secrets).sort(), ['litellm', 'litellm-default-key', 'litellm-research'])
  const { body: limited } = await service.ask('GET', '/key', { key: secrets['litellm-default-key']! })
  assert.deepEqual([limited.data.limit, limited.data.limit_reset], [20, 'weekly'])
  const ask = (model: string) =>
    service.ask('POST', '/messages/count_tokens', {
      key: secrets['litellm-default-key']!,
      body: { model, messages: [{ role: 'user', content: 'Hi' }] },
    })
  assert.deepEqual([(await ask('house')).status, (await ask('claude')).status], [200, 403])
  const preset = async (slug: string) => (await service.manage('GET', `/presets/${slug}`)).body.data
  assert.deepEqual((await preset('claude-thinking')).designated_version.config.reasoning, { effort: 'high' })
  assert.equal((await preset('fast')).designated_version.config.models.length, 3)
  const inTeam = await service.ask('GET', '/presets', { key: secrets['litellm-research']! })
  assert.deepEqual(inTeam.body.data.map(({ slug }: any) => slug).toSorted(), ['claude-thinking', 'fast'])

  await service.manage('PUT', '/organization/budgets/monthly', { limit_usd: 7 })
  const { default_guardrail_id: guardrail } = workspaces.data.find((one: any) => one.slug === 'default')
  const filters = [{ slug: 'email', action: 'flag' }]
  await service.manage('PATCH', `/guardrails/${guardrail}`, { content_filter_builtins: filters })
  const second = await runImport(config, ['--out', file], variables)
  assert.equal(second.code, 0, second.output)
  assert.doesNotMatch(second.output, /Created|Set the|^Set in/m)
  assert.match(second.output, /The monthly budget of the organization is already 7 USD, and is not changed\./)
  assert.match(
    second.output,
    /Already set in the default guardrail .* default, and not changed: content_filter_builtins/,
  )
  assert.equal((await service.manage('GET', '/organization/budgets/monthly')).body.data.limit_usd, 7)
  assert.equal((await defaults('default')).content_filter_builtins[0].action, 'flag')
})

test('--dry-run prints the catalogue and the objects without writing anything', async () => {
  const { code, output, file } = await runImport(config, ['--dry-run'], { SIGNALBOX_KEY: 'sb-v1-none' })
  assert.equal(code, 0, output)
  assert.match(output, /^ {2}vllm-2:$/m)
  assert.match(output, /limit_usd: 500/)
  assert.throws(() => readFileSync(file))
})

test('import copies no secrets, and does not overwrite a file with other content', async () => {
  const withSecrets = `model_list: [{ model_name: a, litellm_params: { model: openai/gpt-5-mini, api_key: sk-secret } }]
general_settings: { master_key: sk-master, database_url: "postgres://u:sk-database@h/d" }`
  const { output, file } = await runImport(withSecrets)
  assert.doesNotMatch(output + readFileSync(file, 'utf8'), /sk-secret|sk-master|sk-database/)
  assert.match(output, /set the environment variable OPENAI_API_KEY to it/)
  const other = await runImport(config, ['--out', file])
  assert.equal(other.code, 1)
  assert.match(other.output, /already exists with other content/)
})

test('an invalid configuration is an error with its line', async () => {
  assert.match((await runImport('model_list: [\n')).output, /is neither YAML nor JSON: line \d/)
  assert.match((await runImport('a: 1\nmodel_list: 5\n')).output, /is not a LiteLLM configuration: line 2: model_list/)
  assert.match((await runImport('# nothing\n')).output, /0 of 0 rows/)
})
