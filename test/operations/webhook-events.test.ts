import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { webhookEvents } from '#webhooks/webhook.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const read = (file: string) => readFileSync(`${root}/${file}`, 'utf8')

test('every webhook event is sent: a file outside of webhooks/ queues it', () => {
  const senders = globSync('src/{interns,spend,policy,gateway,catalogue,identity,provision}/**/*.ts', { cwd: root })
    .filter((file) => !file.endsWith('.test.ts'))
    .map(read)
    .filter((text) => text.includes('QueuedEvent') || text.includes('queueEvent'))
  const events = senders.flatMap((text) => [...text.matchAll(/\bevent: ([^\n]+)/g)].map(([, value]) => value!))
  const neverSent = webhookEvents.filter((event) => !events.some((value) => value.includes(`'${event}'`)))
  assert.deepEqual(neverSent, [])
})

test('every webhook event is described in docs/webhooks.md', () => {
  const page = read('docs/webhooks.md')
  assert.deepEqual(
    webhookEvents.filter((event) => !page.includes(`\`${event}\``)),
    [],
  )
})
