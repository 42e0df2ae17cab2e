import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readPermission } from './permission-details.ts'

const question = { id: 'q', kind: 'permission' as const, operation: 'shell', options: [] }

async function permissionOf(command: string) {
  const data = { command, changes: [] }
  return readPermission({ request: async <T>() => ({ data }) as T }, 'ada', question)
}

test('readPermission cuts a command that would fill the screen, and reports it', async () => {
  assert.deepEqual(await permissionOf('ls'), { subject: 'ls', changes: [], isCut: false })
  const { subject, isCut } = await permissionOf('x'.repeat(1001))
  assert.deepEqual([subject, isCut], [`${'x'.repeat(1000)} …`, true])
})
