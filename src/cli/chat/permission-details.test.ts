import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readPermission } from './permission-details.ts'

const question = { id: 'q', kind: 'permission' as const, operation: 'shell', options: [] }

async function permissionOf(command: string, folder?: string) {
  const data = { command, folder, changes: [] }
  return readPermission({ request: async <T>() => ({ data }) as T }, 'ada', question)
}

test('readPermission cuts a command that would fill the screen, and reports it', async () => {
  assert.deepEqual(await permissionOf('ls'), { subject: 'ls', changes: [], isCut: false })
  const { subject, isCut } = await permissionOf('x'.repeat(1001))
  assert.deepEqual([subject, isCut], [`${'x'.repeat(1000)} …`, true])
})

test('readPermission includes the working folder of a command', async () => {
  assert.equal((await permissionOf('rm -r x', 'docs')).subject, 'In "docs": rm -r x')
})
