import assert from 'node:assert/strict'
import { test } from 'node:test'
import { connectFiles } from './connect-files.ts'
import { readDecisions, readEntries, readMilestones, readSessions, readWholePermission } from './read-answer.ts'

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
  permission: readWholePermission,
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
