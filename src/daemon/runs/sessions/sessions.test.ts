import assert from 'node:assert/strict'
import { test } from 'node:test'
import { RpcError } from '../../acp/rpc-message.ts'
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

test('a session whose cancelled turn has not ended is not closed as idle', () => {
  const closed: string[] = []
  const agent = { canRestoreSessions: true, closeSession: (id: string) => closed.push(id) } as never
  const unused = {} as never
  const sessions = new Sessions({ host: unused, store: unused, log: () => {}, workspace: '/', maxIdleSessions: 0 })
  const opened = ['cancelled', 'finished'].map((id) => {
    const session = sessions.find(id)
    session.openedWith = { agent, agentSession: { id, model: null, modes: [] } }
    sessions.add(session)
    return session
  })
  opened[0]!.isTurnOpen = true
  sessions.noteRunEnd(opened[1]!)
  assert.deepEqual(closed, ['finished'])
  assert.equal(sessions.find('cancelled'), opened[0])
})

/** Opens a stored session with an agent whose restore fails. @returns whether a new session was created for it. */
async function isReplaced(message: string): Promise<boolean> {
  const agent = {
    canRestoreSessions: true,
    unsupportedServers: [],
    restoreSession: () => Promise.reject(new RpcError(-32603, message)),
    newSession: async () => ({ id: 'new', model: null, modes: [] }),
  }
  const sessions = new Sessions({
    host: { use: async () => agent as never },
    store: { session: () => ({ agentSessionId: 'old' }), saveSession: () => {} } as never,
    log: () => {},
    workspace: '/',
    maxIdleSessions: 2,
  })
  const opened = await sessions.open(sessions.find('s')).catch(() => undefined)
  return opened?.agentSession.id === 'new'
}

for (const message of [
  'Session not found: 42',
  'Invalid params: Session "42" not found',
  'Internal error: no rollout found for thread id 42',
  'No conversation found with session ID: 42',
  'No saved session found with ID 42.',
  'Unknown session 42',
  'Could not find session 42',
  'Invalid session identifier "42".',
])
  test(`a session whose agent reports "${message}" is replaced`, async () => {
    assert.equal(await isReplaced(message), true)
  })

for (const message of [
  'Internal error',
  'Authentication required',
  'No model found for this session',
  'Request timed out',
])
  test(`a session whose agent reports "${message}" is not replaced`, async () => {
    assert.equal(await isReplaced(message), false)
  })
