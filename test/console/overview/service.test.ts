import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { accessibilityFaults } from '../../harness/browser/accessibility.ts'
import { noBrowser, startBrowser } from '../../harness/browser/chromium.ts'
import { linkForRole, signedInPage, startConsole } from '../../harness/browser/console.ts'
import { picture } from '../../harness/browser/picture.ts'
import type { TestService } from '../../harness/service/service.ts'

const folder = mkdtempSync(join(tmpdir(), 'signalbox-service-'))
const file = join(folder, 'catalogue.yaml')
const catalogue = (models: string) => `
providers:
  acme: { name: Acme, protocol: openai-chat, base_url: "https://acme.example/v1", credentials: [ACME_KEY] }
  other: { name: Other, protocol: openai-chat, base_url: "https://\${OTHER_HOST}/v1", credentials: [OTHER_KEY] }
  local: { name: Local, protocol: openai-chat, base_url: "http://127.0.0.1:9/v1", credentials: [] }
  broken: { name: Broken, protocol: telepathy }
models:
${models}`
const model = (name: string, provider: string) =>
  `  ${provider}/${name}: { name: ${name}, created: 2026-01-01, context_length: 1000, endpoints: { ${provider}: { model: ${name}, prices: { prompt: 1, completion: 2 } } } }`

let service: TestService
let browser: Awaited<ReturnType<typeof startBrowser>>
const secret = 'a-secret-of-the-issuer'
before(async () => {
  if (noBrowser) return
  writeFileSync(
    file,
    catalogue([model('one', 'acme'), model('two', 'acme'), model('three', 'other'), model('four', 'local')].join('\n')),
  )
  const settings = { catalogue_file: file, starter_catalogue: 'false' as never, oidc_client_secret: secret }
  const sources = { catalogue_file: { kind: 'environment', name: 'CATALOGUE_FILE' } } as const
  ;[service, browser] = await Promise.all([startConsole({ settings, sources }), startBrowser()])
})
after(async () => {
  await browser?.close()
  await service?.[Symbol.asyncDispose]()
  rmSync(folder, { recursive: true })
})
const options = { skip: noBrowser }
const open = (path: string, more: object = {}) => signedInPage(browser, service, path, more)

test('the first run shows the lines for the best provider, and what each one needs', options, async () => {
  await using watched = await open('/service')
  const { page, faults } = watched
  const first = page.getByRole('region', { name: 'First run' })
  assert.equal(await first.locator('pre').textContent(), 'export ACME_KEY=…\nnpm start')
  await page.getByRole('row').filter({ hasText: 'Other' }).getByText('OTHER_KEY, OTHER_HOST').waitFor()
  await page.getByRole('row').filter({ hasText: 'Local' }).getByText('not needed').waitFor()
  await page.getByRole('link', { name: '2 models of Acme' }).click()
  await page.getByRole('row').getByText('acme/two').first().waitFor()
  assert.deepEqual(faults, [])
})

test('the empty log names what the first provider needs, or configured providers', options, async () => {
  const textFor = async (access: string, text: RegExp) => {
    await using watched = await open('/requests', { link: await linkForRole(service, access) })
    await watched.page.getByText(text).waitFor()
    assert.deepEqual(watched.faults, [])
  }
  await textFor('admin', /To use Acme, set ACME_KEY in the environment.* Or add a provider key/)
  await textFor('viewer', /No provider has a credential yet, .* To use Acme, set ACME_KEY/)
  await textFor('developer', /an owner or admin adds a credential/)
  const { status, body } = await service.manage('POST', '/byok', { provider: 'acme', key: 'an-own-key' })
  assert.equal(status, 201)
  await using watched = await open('/requests')
  await watched.page.getByText('Providers with a credential: Acme.').waitFor()
  assert.deepEqual(watched.faults, [])
  assert.equal((await service.manage('DELETE', `/byok/${body.data.id}`)).status, 200)
})

test('with a credential it is ready and asks for none', options, async () => {
  const settings = { catalogue_file: file, starter_catalogue: 'false' as never }
  await using ready = await startConsole({ settings, variables: { ACME_KEY: 'a-secret-of-a-provider' } })
  await using watched = await signedInPage(browser, ready, '/service')
  const { page, faults } = watched
  await page.getByRole('row').filter({ hasText: 'Acme' }).getByText('set', { exact: true }).waitFor()
  assert.equal(await page.getByRole('region', { name: 'First run' }).count(), 0)
  assert.ok(!(await page.content()).includes('a-secret-of-a-provider'))
  assert.deepEqual(faults, [])
})

test('the catalogue shows its sources and skipped rows, and is reloaded', options, async () => {
  await using watched = await open('/service/catalogue')
  const { page, faults } = watched
  await page.getByRole('region', { name: 'Sources' }).getByText(file).waitFor()
  const skippedRows = page.getByRole('table', { name: 'Skipped rows' })
  await skippedRows.getByRole('row').filter({ hasText: 'broken' }).getByText(`${file}:6`).waitFor()
  await skippedRows.getByText(/protocol: must be one of /).waitFor()
  writeFileSync(file, catalogue(model('one', 'acme')))
  await page.getByRole('button', { name: 'Reload' }).click()
  await page.getByText('1 model loaded, 1 row skipped').waitFor()
  await page.getByText('1 model, 1 endpoint,').waitFor()
  writeFileSync(file, 'models: [')
  await page.getByRole('button', { name: 'Reload' }).click()
  await page.getByRole('alert').getByText('The catalogue was not changed').waitFor()
  assert.deepEqual(
    faults.filter((fault) => !fault.includes('409')),
    [],
  )
})

test('each setting has its value and source, is searchable, and hides secrets', options, async () => {
  await using watched = await open('/service/settings')
  const { page, faults } = watched
  const row = (name: string) =>
    page.getByRole('row').filter({ has: page.locator('code', { hasText: new RegExp(`^${name}$`) }) })
  await row('catalogue_file').getByRole('cell', { name: 'CATALOGUE_FILE' }).waitFor()
  await row('catalogue_file').getByText(file).waitFor()
  await row('oidc_client_secret').getByText('set (hidden)').waitFor()
  assert.ok(!(await page.content()).includes(secret))
  await page.getByLabel('Find a setting').fill('address listen')
  await row('port').waitFor({ state: 'detached' })
  await row('host').waitFor()
  await page.getByLabel('Find a setting').fill('')
  await page.getByLabel('Only settings that differ from their default').check()
  await row('host').waitFor({ state: 'detached' })
  assert.equal(await page.getByRole('row').count(), 2)
  assert.deepEqual(faults, [])
})

test('a viewer sees it without the reload button; a developer sees who has access', options, async () => {
  await using viewing = await open('/service/catalogue', { link: await linkForRole(service, 'viewer') })
  await viewing.page.getByRole('region', { name: 'Sources' }).waitFor()
  assert.equal(await viewing.page.getByRole('button', { name: 'Reload' }).count(), 0)
  const link = await linkForRole(service, 'developer')
  await using developing = await open('/service', { link })
  for (const path of ['', '/catalogue', '/settings']) {
    await developing.page.goto(new URL(`/service${path}`, developing.page.url()).href)
    await developing.page.getByText('Access denied').waitFor()
  }
})

for (const path of ['/service', '/service/catalogue', '/service/settings']) {
  for (const colorScheme of ['light', 'dark'] as const) {
    for (const width of [1280, 390]) {
      test(`${path} is accessible and fits: ${colorScheme}, ${width} px`, options, async () => {
        const viewport = { width, height: 844 }
        await using watched = await open(path, { colorScheme, viewport })
        const { page, faults } = watched
        await page.getByRole('table').waitFor()
        assert.deepEqual(await accessibilityFaults(page), [])
        const beyond = 'document.querySelector(".parts-body").scrollWidth > document.documentElement.clientWidth'
        assert.equal(await page.evaluate(beyond), false)
        await picture(page, path.replaceAll('/', '-').slice(1), width, colorScheme)
        assert.deepEqual(faults, [])
      })
    }
  }
}
