import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Intern } from '../registry/intern-store.ts'
import type { RunRecord } from './run-record.ts'
import { internFailedEvent, questionAskedEvent, runEndedEvent } from './webhook-events.ts'

const question = {
  question: { id: 'q', kind: 'permission', operation: 'shell', options: [], detail: null },
  sessionId: 's',
  askedAt: 0,
  deadlineAt: 1000,
} as never
const run = { id: 'r', sessionId: 's', internId: 'i', startedAt: 0, endedAt: 1, usage: null } as unknown as RunRecord

for (const [visibility, visibleTo] of [
  ['creator', 'user-1'],
  ['workspace', undefined],
])
  test(`events of an intern that its ${visibility} sees are visible to ${visibleTo ?? 'all members'}`, () => {
    const intern = { id: 'i', name: 'ada', workspaceId: 'w', creatorUserId: 'user-1', visibility } as Intern
    const events = [questionAskedEvent(intern, question), runEndedEvent(intern, run), internFailedEvent(intern, 1)]
    for (const event of events) assert.deepEqual([event.workspaceId, event.visibleTo], ['w', visibleTo])
  })
