import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openBrowser, originOf } from '#test/harness/service/browser-client.ts'
import { startTestService } from '#test/harness/service/service.ts'
import { registration, softPasskey } from '#test/harness/service/sign-in/authenticator.ts'
import { runCli } from '../cli.ts'

test('passkeys list and revoke work', async () => {
  await using service = await startTestService({ settings: { host: 'localhost' } })
  const env = { SIGNALBOX_URL: service.url, SIGNALBOX_KEY: service.managementKey }
  const run = async (...args: string[]) => {
    const lines: string[] = []
    const print = (text: string) => void lines.push(text)
    const code = await runCli(args, { env, out: print, err: print })
    return { code, out: lines.join('\n') }
  }
  const { data } = (await service.manage('POST', '/sessions/links', {})).body
  const browser = await openBrowser(service, { link: data.token })
  const { challenge, user, rp } = (await browser.ask('POST', '/passkeys/options')).body.data
  const response = registration(softPasskey(user.id), { challenge, rpId: rp.id, origin: originOf(service) })
  const created = await browser.ask('POST', '/passkeys', { body: { name: 'Laptop', response } })
  const { id } = created.body.data

  assert.match((await run('passkeys', 'list')).out, new RegExp(`${id} +owner@localhost +localhost +20.* never +Laptop`))
  assert.equal(JSON.parse((await run('passkeys', 'list', '--for', 'owner@localhost', '--json')).out)[0].id, id)
  assert.equal((await run('passkeys', 'revoke', id)).out, `Revoked passkey ${id}. Ended sessions: 0.`)
  const repeated = await run('passkeys', 'revoke', id)
  assert.deepEqual([repeated.code, /Passkey not found/.test(repeated.out)], [1, true])
})
