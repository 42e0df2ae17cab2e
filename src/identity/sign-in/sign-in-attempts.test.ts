import assert from 'node:assert/strict'
import { test } from 'node:test'
import { SignInAttempts } from './sign-in-attempts.ts'

const outcome = (attempts: SignInAttempts, address: string, work: () => Promise<string>) =>
  attempts.run(address, work).catch((error: Error) => error.message)
const fail = () => Promise.reject(new Error('wrong key'))
const succeed = async () => 'signed in'

test('ten failed attempts are possible at once, and one more after each six seconds', async () => {
  let now = 0
  const attempts = new SignInAttempts(() => now)
  for (let n = 0; n < 10; n++) assert.equal(await outcome(attempts, '192.0.2.1', fail), 'wrong key')
  const refused = 'Too many attempts to sign in. Try again in 6 seconds.'
  assert.equal(await outcome(attempts, '192.0.2.1', succeed), refused)
  assert.equal(await outcome(attempts, '192.0.2.2', succeed), 'signed in')
  now += 6_000
  assert.equal(await outcome(attempts, '192.0.2.1', fail), 'wrong key')
  assert.equal(await outcome(attempts, '192.0.2.1', succeed), refused)
})

test('successful attempts do not count', async () => {
  const attempts = new SignInAttempts(() => 0)
  for (let n = 0; n < 30; n++) assert.equal(await outcome(attempts, '192.0.2.1', succeed), 'signed in')
})

test('addresses of one IPv6 network are counted together, and those of another are not', async () => {
  const attempts = new SignInAttempts(() => 0, { burst: 1, refillSeconds: 6 })
  const isRefused = async (address: string) => (await outcome(attempts, address, fail)) !== 'wrong key'
  assert.equal(await isRefused('2001:db8::1'), false)
  for (const address of ['2001:db8::2', '2001:db8:0:0:1::', '2001:db8::1:0:0:1'])
    assert.equal(await isRefused(address), true, address)
  for (const address of ['2001:db8:0:1::1', '2001::5:1:2:3:4', '2001::6:1:2:3:4', '::1', '::ffff:192.0.2.1'])
    assert.equal(await isRefused(address), false, address)
})
