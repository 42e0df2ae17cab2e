import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Sessions } from './sessions.ts'

test('find adds no session: a refused caller could name any number', () => {
  const unused = {} as never
  const deps = { host: unused, store: unused, log: () => {}, workspace: '/', maxIdleSessions: 2 }
  const sessions = new Sessions(deps)
  const session = sessions.find('s')
  assert.notEqual(sessions.find('s'), session)
  sessions.add(session)
  assert.equal(sessions.find('s'), session)
})
