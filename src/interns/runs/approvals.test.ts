import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Caller } from '#identity/accounts/caller.ts'
import { listChanges } from '#identity/audit/audit.ts'
import { newUuid } from '#platform/core/id.ts'
import { sql } from '#platform/db/kysely.ts'
import { memoryDb } from '#test/harness/database/memory-db.ts'
import { Refusal, type RefusalKind } from '../contract/refusal.ts'
import { answerWithAudit } from './approvals.ts'
import { findQuestion, saveQuestion } from './questions.ts'

const caller = { organizationId: 'o', userId: 'u', keyHash: 'h' } as Caller
const question = { id: 'q', kind: 'permission', operation: 'shell', detail: null, options: ['allow_once'] } as never

const refused = (kind: RefusalKind) => new Refusal(kind, 'It is not to be.')

/** Sends an answer that fails. @returns whether the question is still stored, and the audit records, newest first. */
async function answerWithFailure(error: Error) {
  const db = await memoryDb()
  // The owner of the intern is not needed here.
  await sql`pragma foreign_keys = off`.execute(db.query)
  const deps = { db, now: () => 1000, newId: newUuid, conceal: async (_: Caller, text: string) => text }
  await saveQuestion(deps, 'intern', { question, sessionId: 's', deadlineAt: 60_000 })
  const answer = { sessionId: 's', questionId: 'q', answer: 'allow_once' }
  const give = () => Promise.reject(error)
  await assert.rejects(answerWithAudit(deps, { caller, internId: 'intern', answer }, give), /It is not to be/)
  const questionEvent = await findQuestion(deps, 'intern', { sessionId: 's', id: 'q' })
  const { data } = await listChanges(
    { db },
    { organizationId: 'o', workspaceId: '', isWorkspaceScoped: false },
    { limit: 10, offset: 0 },
  )
  await db.close()
  return { hasQuestion: questionEvent !== undefined, records: data.map(({ action }) => action) }
}

test('a question is deleted when an answer is refused because it no longer waits', async () => {
  for (const kind of ['interaction_not_pending', 'interaction_unknown', 'output_lost'] as const)
    assert.equal((await answerWithFailure(refused(kind))).hasQuestion, false, kind)
})

test('a question whose answer could not be delivered is still waiting', async () => {
  for (const kind of ['intern_unreachable', 'stream_severed'] as const)
    assert.equal((await answerWithFailure(refused(kind))).hasQuestion, true, kind)
})

test('an answer is recorded before it is given, with its refusal by the intern', async () => {
  const { records } = await answerWithFailure(refused('interaction_not_pending'))
  assert.deepEqual(records, ['intern.answer_refused', 'intern.answered'])
  assert.deepEqual((await answerWithFailure(new Error('It is not to be.'))).records, ['intern.answered'])
})
