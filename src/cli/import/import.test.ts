import assert from 'node:assert/strict'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { parse } from 'yaml'
import { loadCatalogue } from '#catalogue/sources/load.ts'
import { startTestService } from '#test/harness/service.ts'
import { runCli } from '../cli.ts'

const scratch = mkdtempSync(join(tmpdir(), 'signalbox-import-'))
after(() => rmSync(scratch, { recursive: true, force: true }))
const page = readFileSync(fileURLToPath(new URL('../../../docs/from-litellm.md', import.meta.url)), 'utf8')
const [given = '', wanted = ''] = [...page.matchAll(/^```yaml\n(.*?)^```$/gms)].map(([, block]) => block!)

let count = 0

/** Runs the import, with a file of its own to write unless it is told. */
async function importing(config: string, args: string[] = [], variables: Record<string, string> = {}) {
  const name = join(scratch, `config-${++count}`)
  writeFileSync(`${name}.yaml`, config)
  const said: string[] = []
  const say = (text: string) => void said.push(text)
  const env = { DATA_DIR: join(scratch, 'data'), ...variables }
  const file = `${name}.catalogue.yaml`
  const line = ['import', 'litellm', `${name}.yaml`, ...(args.includes('--out') ? [] : ['--out', file]), ...args]
  const code = await runCli(line, { env, out: say, err: say })
  return { code, said: said.join('\n'), file }
}

const undated = (catalogue: any) => {
  for (const model of Object.values<any>(catalogue.models)) if (model.name === 'Qwen3-32B') delete model.created
  return catalogue
}

test('import litellm writes the catalogue that the page shows, and it is in order', async () => {
  const { code, said, file } = await importing(given)
  assert.equal(code, 0, said)
  assert.deepEqual(undated(parse(readFileSync(file, 'utf8'))), undated(parse(wanted)))
  const settings = { starter_catalogue: true, data_dir: scratch, catalogue_file: file }
  assert.deepEqual((await loadCatalogue(settings)).report.skipped, [])
  for (const left of ['model_list\\[6\\] embedding', 'pii IBAN_CODE', 'rpm of house', 'cache', 'master_key'])
    assert.match(said, new RegExp(`^ .*${left}`, 'm'))
  assert.match(said, /run this command again/)
})

test('with a key it makes guardrails, workspaces, keys and presets at the service, once', async () => {
  const { file } = await importing(given)
  await using service = await startTestService({ settings: { catalogue_file: file } })
  const variables = { SIGNALBOX_URL: service.url, SIGNALBOX_KEY: service.managementKey }
  const first = await importing(given, ['--out', file], variables)
  assert.equal(first.code, 0, first.said)
  const { body: workspaces } = await service.manage('GET', '/workspaces')
  const defaults = async (slug: string) => {
    const { default_guardrail_id: id } = workspaces.data.find((one: any) => one.slug === slug)
    return (await service.manage('GET', `/guardrails/${id}`)).body.data
  }
  const own = await defaults('default')
  assert.deepEqual([own.limit_usd, own.reset_interval], [500, 'monthly'])
  assert.deepEqual(
    own.content_filter_builtins.map((one: any) => [one.slug, one.action]),
    [
      ['email', 'redact'],
      ['credit-card', 'block'],
    ],
  )
  const research = await defaults('research')
  assert.deepEqual([research.limit_usd, research.reset_interval], [100, 'monthly'])
  const secrets = Object.fromEntries(
    [...first.said.matchAll(/the API key "([\w-]+)", shown this once: (\S+)/g)].map(([, name, key]) => [name, key!]),
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

  const again = await importing(given, ['--out', file], variables)
  assert.equal(again.code, 0, again.said)
  assert.doesNotMatch(again.said, /Made/)
})

test('a dry run writes and makes nothing, and prints both', async () => {
  const { code, said, file } = await importing(given, ['--dry-run'], { SIGNALBOX_KEY: 'sb-v1-none' })
  assert.equal(code, 0, said)
  assert.match(said, /^ {2}vllm-2:$/m)
  assert.match(said, /limit_usd: 500/)
  assert.throws(() => readFileSync(file))
})

test('no secret of the file is written or said, and a file of other content is left alone', async () => {
  const config = `model_list: [{ model_name: a, litellm_params: { model: openai/gpt-5-mini, api_key: sk-secret } }]
general_settings: { master_key: sk-master, database_url: "postgres://u:sk-database@h/d" }`
  const { said, file } = await importing(config)
  assert.doesNotMatch(said + readFileSync(file, 'utf8'), /sk-secret|sk-master|sk-database/)
  assert.match(said, /put it into the variable OPENAI_API_KEY/)
  const other = await importing(given, ['--out', file])
  assert.equal(other.code, 1)
  assert.match(other.said, /is there already, and says something else/)
})

test('what is no configuration is told with its line', async () => {
  assert.match((await importing('model_list: [\n')).said, /is neither YAML nor JSON: line \d/)
  assert.match((await importing('a: 1\nmodel_list: 5\n')).said, /is no configuration of LiteLLM: line 2: model_list/)
  assert.match((await importing('# nothing\n')).said, /0 of 0 rows/)
})
