import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { newTestStore } from '../../../harness/database/databases.ts'
import { runningIntern, say } from '../../../harness/interns/interns.ts'
import { startTestService } from '../../../harness/service/service.ts'

test('a conversation continues beyond the window of a small model', async () => {
  const testStore = await newTestStore('sqlite')
  const file = join(testStore.settings.data_dir, '..', `small-${process.pid}.json`)
  const small = { context_length: 8_000 }
  const models = { 'signalbox/demo': { ...small, endpoints: { signalbox: small } } }
  writeFileSync(file, JSON.stringify({ models }))
  await using service = await startTestService({ testStore, settings: { catalogue_file: file } })
  const { id } = await runningIntern(service)
  let session: object = {}
  for (let turn = 0; turn < 12; turn++) {
    const reply = await say(service, id, `hello ${'x'.repeat(12_000)}`, { approval_mode: 'self-drive', ...session })
    assert.deepEqual([turn, reply.finish, reply.error], [turn, 'stop', undefined])
    session = { session_id: reply.sessionId }
  }
})
