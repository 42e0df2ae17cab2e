import assert from 'node:assert/strict'
import { test } from 'node:test'
import { connectFiles } from './connect-files.ts'
import { readDecisions, readEntries, readMilestones, readPermissionDetails, readSessions } from './read-response.ts'

/** The least of several runs counts: the first ones run code that is not compiled yet. */
const mostRuns = 5

async function leastTime(work: () => unknown): Promise<number> {
  let least = Number.POSITIVE_INFINITY
  for (let run = 0; run < mostRuns; run++) {
    const start = process.threadCpuUsage()
    await work()
    const { user, system } = process.threadCpuUsage(start)
    least = Math.min(least, (user + system) / 1000)
  }
  return least
}

const listOf = (part: string, bytes: number) => `[${`${part},`.repeat(bytes / (part.length + 1))}${part}]`

/** Responses of 8 MiB that a hostile daemon could send. */
const bodies: Record<string, (list: string) => string> = {
  entries: (list) => `{"session":{},"hasMore":false,"entries":${list}}`,
  sessions: (list) => `{"hasMore":false,"sessions":${list}}`,
  milestones: (list) => `{"milestones":${list}}`,
  decisions: (list) => `{"decisions":${list}}`,
  permission: (list) => `{"question":{"detail":null,"command":null,"paths":${list},"changes":[]}}`,
  files: (list) => `{"entries":${list}}`,
}
const readFiles = (body: string) => connectFiles({ requestText: async () => body } as never).list('', { limit: 1 })
const readers: Record<string, (body: string) => unknown> = {
  entries: readEntries,
  sessions: readSessions,
  milestones: readMilestones,
  decisions: readDecisions,
  permission: readPermissionDetails,
  files: readFiles,
}

for (const [name, bodyOf] of Object.entries(bodies))
  test(`hostile ${name} of a daemon are refused, and block the thread at most 50 ms`, async () => {
    for (const part of ['{}', '1', '""', '[[[]]]', `{"a":"${'x'.repeat(260)}"}`, `"${'\\u0000'.repeat(14)}"`]) {
      const body = bodyOf(listOf(part, 8 * 1024 * 1024))
      const least = await leastTime(() =>
        assert.rejects(async () => readers[name]!(body), /^Refusal|The response of the intern/),
      )
      assert.ok(least <= 50, `${part}: ${least.toFixed(0)} ms`)
    }
  })

test('U+0000 in the end of a run is replaced, because Postgres cannot store it', () => {
  const times = { id: 1, revision: 1, runId: 'r', at: 1, updatedAt: 1 }
  const end = { ...times, type: 'end', reason: 'failed', message: 'a\0b', model: 'm\0', usage: null }
  const [milestone] = readMilestones(JSON.stringify({ milestones: [{ sessionId: 's', entry: end }] }))
  assert.deepEqual(milestone?.entry, { ...end, message: 'a\ufffdb', model: 'm\ufffd' })
})

test('milestones with a control character in an id are refused', () => {
  const entry = { id: 1, revision: 1, runId: 'r', at: 1, updatedAt: 1, type: 'end', reason: 'failed' }
  const end = { ...entry, message: null, model: null, usage: null }
  for (const milestone of [
    { sessionId: 's\0', entry: end },
    { sessionId: 's', entry: { ...end, runId: 'r\n' } },
  ])
    assert.throws(() => readMilestones(JSON.stringify({ milestones: [milestone] })), /is invalid/)
})
