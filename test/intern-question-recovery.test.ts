import assert from 'node:assert/strict'
import { test } from 'node:test'
import { onOneDatabase } from './harness/database/databases.ts'
import { daemonOf, startTalk, type Talk } from './harness/interns/intern-chat.ts'
import { answer, say } from './harness/interns/interns.ts'
import { startReceiver } from './harness/service/receiver.ts'
import { until } from './harness/until.ts'

/** What a server leaves that is killed: it is played by one that the daemon never met, or that said nothing more. */
onOneDatabase('a question of a turn with a caller, whose server is killed', (kind) => {
  test('before it could store it, is stored, announced and answered nevertheless', async () => {
    await using receiver = await startReceiver()
    await using service = await startTalk({ kind, settings: { webhook_origins: [receiver.origin] } as never })
    await service.manage('POST', '/webhooks', { url: receiver.url, events: ['intern.question_asked'] })
    const left = new AbortController()
    const prompt = 'permission shell allow_once\nsay done'
    const turn = await daemonOf(service, service.id).start(
      { prompt, attachments: [], mode: 'manual', sessionId: 's' },
      left.signal,
    )
    for await (const event of turn) if (event.type === 'question.asked') break
    const [question] = await until(async () => {
      const listed = await questions(service)
      return listed.length > 0 && listed
    })
    const { told } = await receiver.hear('intern.question_asked')
    assert.equal(told.data.question_id, question.id)
    const asked = { id: question.id, arguments: question }
    const said = await answer(service, service.id, { sessionId: 's', asked } as never, 'allow_once')
    assert.deepEqual([said.finish, said.text], ['stop', '[allow_once-0]done'])
    await until(async () => (await questions(service)).length === 0)
  })

  test('after it had given the answer, waits no longer', async () => {
    await using service = await startTalk({ kind })
    const { sessionId, asked } = await say(service, service.id, 'permission shell allow_once\nwait 60000')
    assert.equal((await questions(service)).length, 1)
    const given = { sessionId: sessionId!, questionId: asked!.id, answer: 'allow_once' }
    const left = new AbortController()
    const turn = await daemonOf(service, service.id).answer(given, left.signal)
    await until(async () => (await questions(service)).length === 0)
    await turn[Symbol.asyncIterator]().return?.()
  })
})

const questions = async (service: Talk) => (await service.ask('GET', `/interns/${service.id}/questions`)).body.data
