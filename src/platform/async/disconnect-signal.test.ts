import assert from 'node:assert/strict'
import { test } from 'node:test'
import { DisconnectController } from './disconnect-signal.ts'

test('every listener is called once, and removed listeners are not called', () => {
  const leaving = new DisconnectController()
  const events: string[] = []
  const [one, other] = [() => void events.push('one'), () => void events.push('other')]
  leaving.addEventListener('abort', one)
  leaving.addEventListener('abort', one)
  leaving.addEventListener('abort', other)
  leaving.addEventListener('abort', () => events.push(String(leaving.aborted)))
  leaving.removeEventListener('abort', other)
  leaving.abort()
  leaving.abort()
  assert.deepEqual(events, ['one', 'true'])
})

test('a listener added after the disconnect sees it, and is not called', () => {
  const leaving = new DisconnectController()
  assert.equal(leaving.aborted, false)
  leaving.abort()
  leaving.addEventListener('abort', () => assert.fail())
  leaving.abort()
  assert.equal(leaving.aborted, true)
})
