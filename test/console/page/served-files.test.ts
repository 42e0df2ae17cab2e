import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { before, test } from 'node:test'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import pino from 'pino'
import { createConsoleBundle } from '#api/console/bundle-cache.ts'
import type { Manifest } from '#api/console/manifest.ts'
import { startConsole } from '../../harness/browser/console.ts'
import { newTestStore } from '../../harness/database/databases.ts'
import { startTestService } from '../../harness/service/service.ts'

const kB = 1000
const log = pino({ level: 'silent' })
let folder = ''
let manifest: Manifest
before(async () => {
  const testStore = await newTestStore('sqlite')
  folder = await createConsoleBundle({ dataDir: testStore.settings.data_dir, log })()
  manifest = JSON.parse(readFileSync(join(folder, 'manifest.json'), 'utf8'))
})

const weightOf = (names: string[]) =>
  names
    .filter((name) => name.endsWith('.js'))
    .map((name) => readFileSync(join(folder, `${name}.gz`)).length)
    .reduce((sum, bytes) => sum + bytes, 0)

test('all scripts of the console together weigh at most 150 kB compressed', () => {
  const weight = weightOf(manifest.files)
  assert.ok(weight > 10 * kB && weight <= 150 * kB, `they weigh ${weight} bytes`)
})

test('the scripts that a screen begins with weigh at most 60 kB compressed', () => {
  assert.ok(Object.keys(manifest.screens).length > 0)
  for (const [screen, own] of Object.entries(manifest.screens)) {
    const weight = weightOf([manifest.main, ...manifest.mainImports, ...own])
    assert.ok(weight <= 60 * kB, `${screen} begins with ${weight} bytes`)
  }
})

test('every screen is one page, which loads nothing from other origins', async () => {
  await using service = await startConsole()
  const { origin } = new URL(service.url)
  for (const path of [
    '/',
    '/requests',
    '/requests/gen-1?outcome=failed',
    ...Object.keys(manifest.screens).map((name) => `/${name}`),
  ]) {
    const response = await fetch(origin + path)
    assert.equal(response.status, 200, path)
    assert.match(response.headers.get('content-type') ?? '', /^text\/html/)
    const policy = response.headers.get('content-security-policy') ?? ''
    for (const part of ["default-src 'none'", "script-src 'self'", "frame-ancestors 'none'", "base-uri 'none'"]) {
      assert.ok(policy.split('; ').includes(part), part)
    }
    assert.doesNotMatch(policy, /unsafe|\*|https?:/)
    assert.equal(response.headers.get('x-content-type-options'), 'nosniff')
    assert.equal(response.headers.get('referrer-policy'), 'no-referrer')
    assert.equal(response.headers.get('cross-origin-opener-policy'), 'same-origin')
    assert.equal(response.headers.get('cross-origin-resource-policy'), 'same-origin')
    const text = await response.text()
    assert.doesNotMatch(text, /<script>|style=|https?:/)
    const styles = [...text.matchAll(/<style>(.*?)<\/style>/gs)].map(([, style]) => style!)
    const digest = createHash('sha256').update(styles[0]!).digest('base64')
    assert.deepEqual([styles.length, /style-src ([^;]+)/.exec(policy)?.[1]], [1, `'sha256-${digest}'`])
  }
})

test('a page contains the frame if the browser has a session cookie', async () => {
  await using service = await startConsole()
  const { origin } = new URL(service.url)
  const page = async (path: string, cookie = '') => (await fetch(origin + path, { headers: { cookie } })).text()
  const cookies = ['signalbox_session=x', 'a=b; __Host-signalbox_session=x; c=d']
  for (const cookie of cookies) {
    const seen = await page('/requests', cookie)
    assert.match(seen, /<a class="screen-link" href="\/requests" aria-current="page">Requests<\/a>/)
    assert.deepEqual(preloadedResponsesOf(seen), {})
  }
  for (const cookie of ['', 'signalbox_session=', 'my_signalbox_session=x']) {
    const unseen = await page('/requests', cookie)
    assert.match(unseen, /<div id="console"><\/div>/)
    assert.equal(preloadedResponsesOf(unseen), undefined)
  }
})

const preloadedResponsesOf = (page: string): Record<string, any> | undefined => {
  const json = /<script type="application\/json" id="preloaded">(.*?)<\/script>/.exec(page)?.[1]
  return json === undefined ? undefined : JSON.parse(json)
}

test('a page with a session contains the session and first rows, and is not cached', async () => {
  await using service = await startConsole()
  const { origin } = new URL(service.url)
  const signIn = { method: 'POST', headers: { origin, 'content-type': 'application/json' } }
  const signedIn = await fetch(`${service.url}/sessions`, {
    ...signIn,
    body: JSON.stringify({ key: service.managementKey }),
  })
  const cookie = signedIn.headers.getSetCookie()[0]!.split(';', 1)[0]!
  await service.manage('POST', '/workspaces', { name: '</script><b>', slug: 'lab' })
  const page = (path: string) => fetch(origin + path, { headers: { cookie } })
  const plain = await page('/requests')
  assert.deepEqual([plain.headers.get('cache-control'), plain.headers.get('etag')], ['no-store', null])
  const text = await plain.text()
  const inlineScripts = [...text.matchAll(/<script>(.*?)<\/script>/gs)].map(([, script]) => script!)
  const digest = createHash('sha256').update(inlineScripts[0]!).digest('base64')
  const allowed = /script-src ([^;]+)/.exec(plain.headers.get('content-security-policy') ?? '')?.[1]
  assert.deepEqual([inlineScripts.length, allowed], [1, `'self' 'sha256-${digest}'`])
  const responses = preloadedResponsesOf(text)!
  assert.deepEqual(Object.keys(responses), ['/api/v1/sessions/current', '/api/v1/generations?limit=50'])
  assert.equal(responses['/api/v1/sessions/current'].data.workspace.name, 'Default')
  assert.deepEqual(responses['/api/v1/generations?limit=50'].data, [])
  // Only the script knows which rows an address with filters shows.
  const filtered = preloadedResponsesOf(await (await page('/requests?last=1h')).text())!
  assert.deepEqual(Object.keys(filtered), ['/api/v1/sessions/current'])
  const lab = preloadedResponsesOf(await (await page('/w/lab/requests')).text())!
  assert.deepEqual(Object.keys(lab), Object.keys(responses))
  assert.equal(lab['/api/v1/sessions/current'].data.workspace.name, '</script><b>')
  assert.deepEqual(preloadedResponsesOf(await (await page('/w/other/requests')).text()), {})
})

test('a page has the selected theme, and ignores other cookie values', async () => {
  await using service = await startConsole()
  const { origin } = new URL(service.url)
  const themeFor = async (cookie: string) => {
    const response = await fetch(`${origin}/overview`, { headers: { cookie } })
    assert.equal(response.headers.get('vary'), 'accept-encoding, cookie')
    return /<html lang="en"([^>]*)>/.exec(await response.text())?.[1]
  }
  assert.deepEqual(
    await Promise.all(['theme=dark', 'a=b; theme=light; c=d', 'theme=dark"onload', 'theme=system', 'x'].map(themeFor)),
    [' data-theme="dark"', ' data-theme="light"', '', '', ''],
  )
})

test('a page has the screens of the previous role, and all for an unknown one', async () => {
  await using service = await startConsole()
  const { origin } = new URL(service.url)
  const screensFor = async (role: string) => {
    const headers = { cookie: `signalbox_session=x; role=${role}` }
    const page = await (await fetch(`${origin}/overview`, { headers })).text()
    return [...page.matchAll(/class="screen-link" href="\/([a-z]+)"/g)].map(([, name]) => name)
  }
  const all = Object.keys(manifest.screens).length
  assert.deepEqual((await screensFor('owner')).length, all)
  assert.ok(!(await screensFor('developer')).includes('guardrails'))
  assert.ok(!(await screensFor('viewer')).includes('chat'))
  assert.deepEqual((await screensFor('developer"x')).length, all)
})

test('a cached page and its files are not loaded again', async () => {
  await using service = await startConsole()
  const { origin } = new URL(service.url)
  const page = await fetch(`${origin}/requests`)
  const revalidated = await fetch(`${origin}/requests`, {
    headers: { 'if-none-match': page.headers.get('etag') ?? '' },
  })
  assert.deepEqual([revalidated.status, await revalidated.text()], [304, ''])
  const files = [...(await page.text()).matchAll(/(?:href|src)="(\/console\/[^"]+)"/g)].map(([, path]) => path!)
  assert.ok(files.length >= 3)
  for (const path of files) {
    const file = await fetch(`${origin}${path}`)
    assert.equal(file.status, 200, path)
    assert.equal(file.headers.get('cache-control'), 'public, max-age=31536000, immutable')
    assert.equal(file.headers.get('x-content-type-options'), 'nosniff')
  }
})

test('files are sent in the requested encoding, with equal content', async () => {
  await using service = await startConsole()
  const { origin } = new URL(service.url)
  const at = `${origin}/console/${manifest.main}`
  const bytes = async (accepted: string) => {
    const { get } = await import('node:http')
    const coming = Promise.withResolvers<{ encoding: string | undefined; bytes: Buffer }>()
    get(at, { headers: { 'accept-encoding': accepted } }, async (response) => {
      const parts: Buffer[] = []
      for await (const part of response) parts.push(part)
      coming.resolve({ encoding: response.headers['content-encoding'], bytes: Buffer.concat(parts) })
    })
    return coming.promise
  }
  const [plain, br, gzip] = [await bytes('identity'), await bytes('br'), await bytes('gzip')]
  assert.deepEqual([plain.encoding, br.encoding, gzip.encoding], [undefined, 'br', 'gzip'])
  assert.ok(brotliDecompressSync(br.bytes).equals(plain.bytes))
  assert.ok(gunzipSync(gzip.bytes).equals(plain.bytes))
})

test('no name leads out of the folder of the console', async () => {
  await using service = await startConsole()
  const { origin } = new URL(service.url)
  for (const name of [
    'manifest.json',
    '..%2f..%2fsignalbox.db',
    '..%5cmanifest.json',
    'main.js',
    `${manifest.main}.br`,
  ]) {
    assert.equal((await fetch(`${origin}/console/${name}`)).status, 404, name)
  }
})

test('a second start uses the bundle of the first', async () => {
  const testStore = await newTestStore('sqlite')
  const messages: string[] = []
  const counting = { ...log, info: (_fields: object, line: string) => messages.push(line) } as never
  const first = await createConsoleBundle({ dataDir: testStore.settings.data_dir, log: counting })()
  const second = await createConsoleBundle({ dataDir: testStore.settings.data_dir, log: counting })()
  assert.equal(first, second)
  assert.deepEqual(messages, ['console bundled'])
  await testStore.remove()
})

test('with "console" off there is none, and the API is as it was', async () => {
  await using service = await startTestService()
  const { origin } = new URL(service.url)
  for (const path of ['/', '/requests', '/console/main.js'])
    assert.equal((await fetch(origin + path)).status, 404, path)
  assert.equal((await service.ask('GET', '/models?limit=1')).status, 200)
})

test('a client whose base URL lacks the prefix gets an error, not a page', async () => {
  await using service = await startConsole()
  const { origin } = new URL(service.url)
  for (const headers of [{ accept: 'application/json' }, { authorization: `Bearer ${service.apiKey}` }]) {
    const response = await fetch(`${origin}/presets`, { headers })
    assert.equal(response.status, 404)
    assert.match(
      ((await response.json()) as any).error.message,
      /^There is no GET \/presets\. Every path begins with \/api\/v1\//,
    )
  }
  const page = await fetch(`${origin}/presets`, { headers: { accept: 'text/html,*/*', authorization: 'Basic eA==' } })
  assert.equal(page.status, 200)
})

test('paths of the API are not taken by the console', async () => {
  await using service = await startConsole()
  const { origin } = new URL(service.url)
  assert.equal(
    (await fetch(`${origin}/models`)).headers.get('content-type'),
    manifest.screens.models ? 'text/html; charset=utf-8' : 'application/json; charset=utf-8',
  )
  assert.equal((await service.ask('GET', '/models?limit=1')).status, 200)
  assert.equal((await fetch(`${origin}/v1/models`)).status, 401)
  assert.equal((await fetch(`${origin}/nothing-here`)).status, 404)
})
