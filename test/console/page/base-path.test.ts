import assert from 'node:assert/strict'
import { createServer, request as httpRequest } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, test } from 'node:test'
import { noBrowser, startBrowser } from '../../harness/browser/chromium.ts'
import { startConsole } from '../../harness/browser/console.ts'
import { client, startIssuer } from '../../harness/service/sign-in/oidc-issuer.ts'

const root = '/llm'

/** A proxy that serves something below `/llm/`, with the path as it came or without `/llm`. */
async function startPathProxy(strips: boolean) {
  const target = { port: 0 }
  const server = createServer((request, response) => {
    const { url = '/' } = request
    if (url !== root && !url.startsWith(`${root}/`)) return void response.writeHead(404).end('another service')
    const path = strips ? url.slice(root.length) || '/' : url
    const options = { host: '127.0.0.1', port: target.port, path, method: request.method, headers: request.headers }
    const upstream = httpRequest(options, (upstreamResponse) => {
      response.writeHead(upstreamResponse.statusCode ?? 502, upstreamResponse.headers)
      upstreamResponse.pipe(response)
    })
    upstream.on('error', () => response.destroy())
    response.on('close', () => upstream.destroy())
    request.pipe(upstream)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    target,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

for (const strips of [true, false]) {
  const kind = strips ? 'removes' : 'keeps'
  describe(`the console below a path, behind a proxy that ${kind} it`, { skip: noBrowser }, () => {
    test('signs in by OIDC, navigates, chats and signs out below the path alone', async () => {
      await using proxy = await startPathProxy(strips)
      await using issuer = await startIssuer()
      const public_url = proxy.origin + root
      await using service = await startConsole({
        settings: {
          public_url,
          oidc_issuer: issuer.url,
          ...client,
          oidc_domains: ['example.com'],
          oidc_groups: { '*': { workspace: 'default' } },
          oidc_default_role: 'admin',
        },
      })
      proxy.target.port = Number(new URL(service.url).port)
      issuer.serve({ url: `${public_url}/api/v1` })
      issuer.person = { id: 'ada', claims: { email: 'ada@example.com', email_verified: true, name: 'Ada' } }
      await using browser = await startBrowser()
      const context = await browser.newContext()
      context.setDefaultTimeout(120_000)
      const page = await context.newPage()
      const faults: string[] = []
      page.on('pageerror', (error) => faults.push(error.message))
      page.on('request', (request) => {
        const url = new URL(request.url())
        if (url.origin === proxy.origin && !url.pathname.startsWith(`${root}/`) && url.pathname !== root)
          faults.push(`request above the path: ${request.method()} ${url.pathname}`)
      })

      await page.goto(`${public_url}/guardrails?q=none`)
      await page.getByRole('link', { name: 'Sign in with your organization’s account' }).click()
      await page.waitForURL(`${public_url}/guardrails?q=none`)
      await page.getByRole('navigation', { name: 'Screens' }).getByRole('link', { name: 'Chat' }).click()
      await page.waitForURL(`${public_url}/chat`)
      await page.getByRole('navigation', { name: 'Screens' }).getByRole('link', { name: 'Models' }).click()
      await page.waitForURL(`${public_url}/models`)
      await page.goto(`${public_url}/models/signalbox/demo`)
      await page.locator('a.button.try').click()
      await page.waitForURL(`${public_url}/chat?model=signalbox%2Fdemo`)
      await page.goBack()
      await page.waitForURL(`${public_url}/models/signalbox/demo`)
      await page.reload()
      await page.locator('a.brand').click()
      await page.waitForURL(new RegExp(`^${public_url}/\\w+$`))
      const links = await page.locator('a[href^="/"]').evaluateAll((all) => all.map((one) => one.getAttribute('href')))
      assert.ok(links.length > 5)
      assert.deepEqual(
        links.filter((href) => !href?.startsWith(`${root}/`)),
        [],
      )

      await page.getByRole('button', { name: 'Sign out' }).click()
      await page.getByRole('link', { name: 'Sign in with your organization’s account' }).waitFor()
      const cookies = await context.cookies(`${public_url}/api/v1/sessions/oidc`)
      assert.ok(
        cookies.some(({ name, path }) => name === 'signalbox_signed_out' && path === `${root}/api/v1/sessions/oidc`),
      )
      assert.ok(!cookies.some(({ name, value }) => name === 'signalbox_session' && value !== ''))
      assert.deepEqual(faults, [])
    })

    test('serves the API and its documentation, with links below the path', async () => {
      await using proxy = await startPathProxy(strips)
      const public_url = `${proxy.origin}${root}`
      await using service = await startConsole({ settings: { public_url: `${public_url}/` } })
      proxy.target.port = Number(new URL(service.url).port)
      const headers = { authorization: `Bearer ${service.apiKey}`, 'content-type': 'application/json' }
      const body = JSON.stringify({ model: 'signalbox/demo', messages: [{ role: 'user', content: 'Hi' }] })
      for (const path of ['/api/v1', '/v1']) {
        const response = await fetch(`${public_url}${path}/chat/completions`, { method: 'POST', headers, body })
        assert.equal(response.status, 200, path)
        assert.equal((await fetch(`${public_url}${path}/models`, { headers })).status, 200)
      }
      assert.equal((await fetch(`${public_url}/api/v1/docs`)).status, 200)
      assert.equal((await fetch(`${public_url}/api/v1/openapi.json`)).status, 200)
      const feed = await (await fetch(`${public_url}/api/v1/models?use_rss=true`, { headers })).text()
      assert.ok(feed.includes(`${public_url}/models/signalbox/demo`), feed)
      const { body: link } = await service.manage('POST', '/sessions/links', {})
      assert.ok(link.data.url.startsWith(`${public_url}/#sign-in=`), link.data.url)
    })
  })
}
