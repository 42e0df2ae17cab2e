import assert from 'node:assert/strict'
import { test } from 'node:test'
import { onOneDatabase } from '../../../harness/database/databases.ts'
import { daemonOf, scripted } from '../../../harness/interns/intern-chat.ts'
import { answer, runningIntern, say, tryAnswer } from '../../../harness/interns/interns.ts'
import { startTestService, type TestService } from '../../../harness/service/service.ts'
import { addColleague } from '../../../harness/service/world/colleague.ts'

/** The audit events of answers, newest first. */
async function answered(service: TestService, id: string): Promise<any[]> {
  const { data } = (await service.manage('GET', `/audit?target_kind=intern&target_id=${id}`)).body
  return data.filter(({ action }: { action: string }) => action.startsWith('intern.answer'))
}
const permission = 'permission shell allow_once reject_once\nsay on'

onOneDatabase('the audit log of intern approvals', (kind) => {
  test('has the member, answer, session and key', async () => {
    await using service = await startTestService({ kind })
    const { id } = await runningIntern(service, { visibility: 'workspace' })
    const grace = await addColleague(service)
    const turn = await say(service, id, 'write a haiku')
    await answer(grace, id, turn, 'allow_once')
    const [event] = await answered(service, id)
    assert.deepEqual(event.actor, {
      ...{ user_id: grace.userId, user_name: 'grace', user_email: 'grace@example.com' },
      ...{ key_hash: grace.hash, key_name: 'grace', session_id: null },
    })
    assert.deepEqual([event.action, event.before], ['intern.answered', null])
    assert.deepEqual(event.target, { kind: 'intern', id, name: 'ada' })
    assert.deepEqual(event.after, {
      ...{ question_id: turn.question?.id, session_id: turn.sessionId, kind: 'permission' },
      ...{ operation: 'shell', detail: 'ls -la', answer: 'allow_once' },
    })
  })

  test('stores only which fields of a form were filled in', async () => {
    await using service = await startTestService({ kind, settings: scripted })
    const { id } = await runningIntern(service, { agent: 'scripted' })
    const form = { type: 'object', properties: { password: { type: 'string' }, note: { type: 'string' } } }
    const turn = await say(service, id, `ask ${JSON.stringify(form)}`)
    await answer(service, id, turn, JSON.stringify({ action: 'accept', content: { password: 'hunter2' } }))
    const [event] = await answered(service, id)
    assert.deepEqual(
      [event.after.kind, event.after.answer, event.after.fields],
      ['elicitation', 'accept', ['password']],
    )
    assert.ok(!JSON.stringify(event).includes('hunter2'))
  })

  test('has no entry for actions without a question in self-drive', async () => {
    await using service = await startTestService({ kind, settings: scripted })
    const { id } = await runningIntern(service, { agent: 'scripted' })
    assert.match((await say(service, id, permission, { approval_mode: 'self-drive' })).text, /on$/)
    assert.deepEqual(await answered(service, id), [])
  })

  test('marks a late answer as not accepted', async () => {
    await using service = await startTestService({ kind, settings: scripted })
    const { id } = await runningIntern(service, { agent: 'scripted', visibility: 'workspace' })
    const grace = await addColleague(service)
    const turn = await say(service, id, `${permission}\nwait 300`)
    // Calls the daemon directly, so that the server still stores its question.
    const past = { sessionId: turn.sessionId!, questionId: turn.question!.id, answer: 'allow_once' }
    const first = await daemonOf(service, id).answer(past, AbortSignal.timeout(60_000))
    const late = await tryAnswer(grace, id, turn, 'reject_once')
    for await (const _ of first);
    assert.equal(late.status, 409)
    const answers = (await answered(service, id)).map(({ action, actor, after }) => [
      action,
      actor.user_email,
      after.answer,
    ])
    assert.deepEqual(answers, [
      ['intern.answer_refused', 'grace@example.com', 'reject_once'],
      ['intern.answered', 'grace@example.com', 'reject_once'],
    ])
  })

  test('an answer that was not offered is none, and is not in it', async () => {
    await using service = await startTestService({ kind, settings: scripted })
    const { id } = await runningIntern(service, { agent: 'scripted' })
    const turn = await say(service, id, permission)
    assert.equal((await tryAnswer(service, id, turn, 'allow_always')).status, 400)
    assert.deepEqual(await answered(service, id), [])
    await answer(service, id, turn, 'reject_once')
    assert.equal((await answered(service, id))[0].after.answer, 'reject_once')
  })

  test('contains no redacted or blocked text, no credential, and only short commands', async () => {
    await using service = await startTestService({ kind, settings: scripted })
    const { id } = await runningIntern(service, { agent: 'scripted' })
    const { body } = await service.manage('GET', '/workspaces')
    const guardrail = `/guardrails/${body.data[0].default_guardrail_id}`
    const allow = async (title: string) => {
      const turn = await say(service, id, `permission ${title} allow_once`)
      const filters = [
        { pattern: 'falcon', action: 'redact', label: '[BIRD]' },
        { pattern: 'sesame', action: 'block' },
      ]
      await service.manage('PATCH', guardrail, { name: 'House', content_filters: filters })
      await answer(service, id, turn, 'allow_once')
      await service.manage('PATCH', guardrail, { content_filters: null })
      const { operation, detail } = (await answered(service, id))[0].after
      return operation ?? detail
    }
    assert.equal(await allow('feed-the-falcon'), 'feed-the-[BIRD]')
    assert.equal(await allow('open-sesame'), '[withheld: a guardrail blocks it]')
    assert.match(await allow(`use-sk-${'x'.repeat(40)}`), /^use-\[secret\]$/)
    assert.equal((await allow('y'.repeat(5000))).length, 2001)
  })
})

onOneDatabase('waiting questions of an intern', (kind) => {
  test('are listed for all who see the intern, until answered', async () => {
    await using service = await startTestService({ kind, settings: scripted })
    const { id } = await runningIntern(service, { agent: 'scripted', visibility: 'workspace' })
    const [grace, path] = [await addColleague(service), `/interns/${id}/questions`]
    const turn = await say(service, id, permission)
    const [waiting] = (await grace.ask('GET', path)).body.data
    const { session_id, asked_at, deadline_at, ...question } = waiting
    assert.deepEqual([session_id, question], [turn.sessionId, { id: turn.question!.id, ...turn.question!.arguments }])
    assert.ok(deadline_at > asked_at)
    await answer(grace, id, turn, 'allow_once')
    assert.deepEqual((await service.ask('GET', path)).body.data, [])
  })

  test('are hidden with the intern', async () => {
    await using service = await startTestService({ kind })
    const { id } = (await service.ask('POST', '/interns', { body: { name: 'ada' } })).body
    const grace = await addColleague(service)
    const [hers, none] = await Promise.all([id, 'nobody'].map((one) => grace.ask('GET', `/interns/${one}/questions`)))
    assert.deepEqual([hers?.status, hers?.text], [404, none?.text])
  })

  test('"pending" is the last question of the session', async () => {
    await using service = await startTestService({ kind, settings: scripted })
    const { id } = await runningIntern(service, { agent: 'scripted' })
    const turn = await say(service, id, `${permission}\npermission mail allow_once`)
    const pending = { ...turn, question: { ...turn.question!, id: 'pending' } }
    const next = await answer(service, id, pending, 'allow_once')
    assert.equal(next.question?.arguments.operation, 'mail')
    await answer(service, id, pending, 'allow_once')
    assert.deepEqual(
      (await answered(service, id)).map(({ after }) => after.operation),
      ['mail', 'shell'],
    )
  })
})
