import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createSessions } from './sessions.ts'

test('a session is kept from its first turn on: whoever is refused one could name any number of them', () => {
  const unused = {} as never
  const deps = { host: unused, store: unused, log: () => {}, workspace: '/', maxIdleSessions: 2 }
  const sessions = createSessions(deps)
  const asked = sessions.find('s')
  assert.notEqual(sessions.find('s'), asked)
  sessions.keep(asked)
  assert.equal(sessions.find('s'), asked)
})
