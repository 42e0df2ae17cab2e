import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { onEachDatabase } from '#test/harness/database/databases.ts'
import { startTestService } from '#test/harness/service/service.ts'
import { until } from '#test/harness/until.ts'

const scratch = mkdtempSync(join(tmpdir(), 'signalbox-reload-'))
after(() => rmSync(scratch, { recursive: true, force: true }))

const context = (tokens: number | string) => `models: { signalbox/demo: { context_length: ${tokens} } }`

function newFile(content: string) {
  const path = join(scratch, `${performance.now()}.yaml`)
  writeFileSync(path, content)
  return { settings: { catalogue_file: path }, write: (text: string) => writeFileSync(path, text) }
}

type Service = Awaited<ReturnType<typeof startTestService>>
const contextOf = async (service: Service) =>
  (await service.ask('GET', '/model/signalbox/demo')).body.data.context_length

test('an API key cannot reload the catalogue', async () => {
  await using service = await startTestService()
  assert.equal((await service.ask('POST', '/catalogue/reload')).status, 403)
})

test('GET /catalogue returns sources, skipped rows and missing variables', async () => {
  const provider = (name: string) =>
    `{ name: ${name}, protocol: openai-chat, base_url: "https://x.example/v1", credentials: [${name}] }`
  const { settings } = newFile(`providers:
  acme: ${provider('ACME_KEY')}
  other: ${provider('OTHER_KEY')}
  broken: { protocol: telepathy }`)
  const variables = { OTHER_KEY: 'a-secret-of-a-provider' }
  await using service = await startTestService({ settings, variables })
  const { body, text } = await service.manage('GET', '/catalogue')
  const { report, providers } = body.data
  assert.deepEqual(report.sources, ['starter.json', settings.catalogue_file])
  assert.deepEqual([report.skipped[0].row, report.skipped[0].line], ['broken', 4])
  const missing = (slug: string) => providers.find((one: { slug: string }) => one.slug === slug).missing
  assert.deepEqual([missing('acme'), missing('other')], [['ACME_KEY'], []])
  assert.ok(!text.includes(variables.OTHER_KEY))
})

onEachDatabase('POST /catalogue/reload', (kind) => {
  test('loads the changed file, reports its content and writes an audit event', async () => {
    const { settings, write } = newFile(context(1000))
    await using service = await startTestService({ kind, settings })
    write(`${context(2000)}\nproviders: { acme: { protocol: telepathy } }`)
    const { status, body } = await service.manage('POST', '/catalogue/reload')
    assert.deepEqual([status, body.data.skipped[0].row, body.data.skipped[0].line], [200, 'acme', 2])
    assert.equal(await contextOf(service), 2000)
    const audit = await service.manage('GET', '/audit?action=catalogue.reloaded')
    assert.deepEqual([audit.body.total_count, audit.body.data[0].after.skipped], [1, 1])
  })

  test('an invalid file returns 409 with the reason, and changes nothing', async () => {
    const { settings, write } = newFile(context(1000))
    await using service = await startTestService({ kind, settings })
    write('models: [')
    const { status, body } = await service.manage('POST', '/catalogue/reload')
    assert.equal(status, 409)
    assert.match(body.error.message, /^The catalogue was not changed: .* is neither YAML nor JSON: line 1/)
    assert.equal(await contextOf(service), 1000)
    assert.equal((await service.manage('GET', '/audit?action=catalogue.reloaded')).body.total_count, 0)
  })

  test('the operator’s own reload is in the audit log as well', async () => {
    const { settings, write } = newFile(context(1000))
    await using service = await startTestService({ kind, settings })
    write(context(3000))
    await service.reloadCatalogue()
    assert.equal(await contextOf(service), 3000)
    const { body } = await service.manage('GET', '/audit?action=catalogue.reloaded')
    assert.deepEqual([body.data[0].actor.user_id, body.data[0].actor.key_hash], ['operator', null])
  })

  test('other servers on the same database reload too', {
    skip: kind === 'sqlite' && 'it has one server',
  }, async () => {
    const { settings, write } = newFile(context(1000))
    await using first = await startTestService({ kind, settings })
    await using second = await startTestService({ testStore: first.testStore, settings })
    write(context(4000))
    await first.manage('POST', '/catalogue/reload')
    await until(async () => (await contextOf(second)) === 4000)
  })
})
