import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createRpc, portPair } from './rpc.ts'

function pair() {
  const [one, other, close] = portPair()
  const theirs = {
    double: (value: number) => value * 2,
    fail: () => {
      throw Object.assign(new Error('it broke'), { code: '42' })
    },
    uncopied: () => () => {},
    never: () => new Promise<void>(() => {}),
  }
  createRpc(other, theirs)
  return { rpc: createRpc<typeof theirs>(one, {}), close }
}

test('a call returns the result or the error of its handler', async () => {
  const { rpc } = pair()
  assert.deepEqual(await Promise.all([rpc.call('double', 2), rpc.call('double', 3)]), [4, 6])
  await assert.rejects(rpc.call('fail', undefined), { message: 'it broke', code: '42' })
  await assert.rejects((rpc as ReturnType<typeof createRpc>).call('absent', 1), /no handler for the call absent/)
})

test('a value that cannot be copied fails only its own call, on either side', async () => {
  const { rpc } = pair()
  await assert.rejects(rpc.call('uncopied', undefined), /could not be cloned/)
  await assert.rejects(rpc.call('double', (() => {}) as never), /could not be cloned/)
  assert.equal(await rpc.call('double', 2), 4)
})

test('calls that cannot be answered any more fail, also those in flight', async () => {
  const { rpc, close } = pair()
  const pending = rpc.call('never', undefined)
  close()
  await assert.rejects(pending, { code: 'ECONNRESET' })
  await assert.rejects(rpc.call('double', 1), { code: 'ECONNRESET' })
  assert.equal(rpc.isOpen(), false)
})
