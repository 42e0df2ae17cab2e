import assert from 'node:assert/strict'
import { createServer, request as httpRequest } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, test } from 'node:test'
import type { Page } from 'playwright-core'
import { accessibilityFaults } from '../../harness/browser/accessibility.ts'
import { noBrowser, startBrowser, watchedPage } from '../../harness/browser/chromium.ts'
import { linkForRole, startConsole } from '../../harness/browser/console.ts'
import { until } from '../../harness/until.ts'

/** A device with a fingerprint reader that always recognizes its user. */
async function attachAuthenticator(page: Page) {
  const devtools = await page.context().newCDPSession(page)
  await devtools.send('WebAuthn.enable')
  const options = { protocol: 'ctap2', transport: 'internal', hasResidentKey: true, hasUserVerification: true } as const
  const { authenticatorId } = await devtools.send('WebAuthn.addVirtualAuthenticator', {
    options: { ...options, isUserVerified: true, automaticPresenceSimulation: true },
  })
  return {
    setVerified: (isUserVerified: boolean) =>
      devtools.send('WebAuthn.setUserVerified', { authenticatorId, isUserVerified }),
  }
}

/** Serves the console at `http://localhost:<port>/llm`. */
async function startPathProxy() {
  const target = { port: 0 }
  const server = createServer((request, response) => {
    const { url: path = '/', method, headers } = request
    const upstream = httpRequest(
      { host: '127.0.0.1', port: target.port, path, method, headers },
      (upstreamResponse) => {
        response.writeHead(upstreamResponse.statusCode ?? 502, upstreamResponse.headers)
        upstreamResponse.pipe(response)
      },
    )
    upstream.on('error', () => response.destroy())
    response.on('close', () => upstream.destroy())
    request.pipe(upstream)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    origin: `http://localhost:${(server.address() as AddressInfo).port}`,
    target,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

const signOut = (page: Page) => page.getByRole('button', { name: 'Sign out', exact: true }).first().click()

describe('passkeys in the console', { skip: noBrowser }, () => {
  for (const root of ['', '/llm']) {
    test(`a member adds a passkey by link and signs in with it, at "${root}/"`, async () => {
      await using proxy = await startPathProxy()
      const site = proxy.origin + root
      await using service = await startConsole({ settings: { public_url: site } })
      proxy.target.port = Number(new URL(service.url).port)
      await using browser = await startBrowser()
      await using watched = await watchedPage(browser, proxy.origin)
      const { page, faults } = watched
      const device = await attachAuthenticator(page)
      await page.goto(`${site}/#sign-in=${await linkForRole(service, 'developer')}`)
      await page.getByRole('link', { name: 'Add a passkey' }).click()
      await page.getByRole('heading', { name: 'No passkeys' }).waitFor()
      assert.deepEqual(await accessibilityFaults(page), [])
      await page.getByRole('button', { name: 'Add passkey' }).click()
      await page.getByLabel('Name').fill('Work laptop')
      assert.deepEqual(await accessibilityFaults(page), [])
      await page.getByRole('button', { name: 'Continue' }).click()
      await page.getByRole('row').filter({ hasText: 'Work laptop' }).getByText('localhost').waitFor()
      assert.deepEqual(await accessibilityFaults(page), [])

      await signOut(page)
      const start = page.getByRole('button', { name: 'Sign in with a passkey' })
      await device.setVerified(false)
      await start.click()
      await page.getByRole('alert').getByText('No passkey was used').waitFor()
      await device.setVerified(true)
      await start.click()
      await page.getByText('The developer · developer').waitFor()
      assert.equal(await page.getByRole('link', { name: 'Add a passkey' }).count(), 0)
      const listed = (await service.manage('GET', '/sessions')).body.data
      assert.deepEqual(
        listed.map(({ method }: { method: string }) => method),
        ['passkey'],
      )

      await page.goto(`${site}/keys/passkeys`)
      await page.getByRole('button', { name: 'Rename Work laptop' }).click()
      await page.getByRole('dialog').getByLabel('Name').fill('Laptop at work')
      await page.getByRole('button', { name: 'Save' }).click()
      await page.getByRole('button', { name: 'Delete Laptop at work' }).click()
      assert.deepEqual(await accessibilityFaults(page), [])
      await page.getByRole('button', { name: 'Delete passkey' }).click()
      await until(async () => (await service.manage('GET', '/sessions')).body.total_count === 0)
      await start.waitFor()
      await start.click()
      await page.getByRole('alert').getByText('This passkey cannot sign in').waitFor()
      // Refused sign-ins and ended sessions are logged by the browser itself.
      assert.deepEqual(
        faults.filter((fault) => !fault.includes('401')),
        [],
      )
    })
  }
})
