import assert from 'node:assert/strict'
import { appendFile, readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { newFolder } from '#test/harness/interns/scripted-agent.ts'
import { addMissingResults, type SessionEntry } from './session.ts'
import { createSessionStore } from './session-store.ts'

const userEntry = (text: string): SessionEntry => ({ type: 'message.added', message: { role: 'user', text }, at: 2 })

async function setUp() {
  const folder = await newFolder()
  const store = createSessionStore(join(folder.path, 'sessions'))
  const log = await store.create('s-1', '/work', 1)
  const file = join(folder.path, 'sessions/s-1.jsonl')
  return { store, log, file, [Symbol.asyncDispose]: folder[Symbol.asyncDispose] }
}

test('a stored session is restored unchanged', async () => {
  await using at = await setUp()
  await at.log.add(userEntry('hello'))
  await at.log.add({ type: 'permission.remembered', operation: 'shell', allowed: true, at: 3 })
  await at.log.add({
    type: 'usage.counted',
    usage: { promptTokens: 5, completionTokens: 2, costUsd: 0.5 },
    model: 'm',
    at: 4,
  })
  await at.log.close()
  const found = await at.store.open('s-1')
  assert.deepEqual(found?.log.session, at.log.session)
  await found?.log.close()
})

test('a line torn by a crash is skipped, and later entries are preserved', async () => {
  await using at = await setUp()
  await at.log.add(userEntry('one'))
  await at.log.close()
  await appendFile(at.file, '{"type":"message.added","mess')
  const torn = await at.store.open('s-1')
  await torn?.log.add(userEntry('two'))
  await torn?.log.close()
  const found = await at.store.open('s-1')
  assert.deepEqual(
    found?.log.session.context.map(({ text }) => text),
    ['one', 'two'],
  )
  await found?.log.close()
})

test('the model gets a summary of compacted entries, and the file keeps all', async () => {
  await using at = await setUp()
  for (const text of ['a', 'b', 'c']) await at.log.add(userEntry(text))
  await at.log.add({ type: 'context.compacted', summary: 'S', kept: 1, at: 5 })
  assert.deepEqual(
    at.log.session.context.map(({ text }) => text),
    ['S', 'c'],
  )
  assert.match(await readFile(at.file, 'utf8'), /"text":"a"/)
  await at.log.close()
})

test('only the owner can read sessions, and ids cannot escape the folder', async () => {
  await using at = await setUp()
  await at.log.close()
  assert.equal((await stat(at.file)).mode & 0o077, 0)
  await writeFile(join(at.file, '../empty.jsonl'), '')
  for (const id of ['none', '../sessions/s-1', 'empty', '']) assert.equal(await at.store.open(id), undefined)
  assert.deepEqual(
    (await at.store.list()).map(({ id }) => id),
    ['s-1'],
  )
})

test('a full disk is reported and leaves the session unchanged', async () => {
  await using at = await setUp()
  await at.log.close()
  await assert.rejects(at.log.add(userEntry('lost')), /^Error: The session could not be saved: /)
  assert.deepEqual(at.log.session.context, [])
})

test('a call without a result gets a substitute result', () => {
  const calls = [
    { id: '1', name: 'shell', arguments: '{}' },
    { id: '2', name: 'shell', arguments: '{}' },
  ]
  const whole = addMissingResults([
    { role: 'assistant', text: '', calls },
    { role: 'tool', callId: '1', text: 'done' },
    { role: 'user', text: 'and?' },
  ])
  assert.deepEqual(
    whole.map(({ role }) => role),
    ['assistant', 'tool', 'tool', 'user'],
  )
})
