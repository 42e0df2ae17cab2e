import assert from 'node:assert/strict'
import { test } from 'node:test'
import { onOneDatabase } from '../harness/database/databases.ts'
import { daemonOf, type InternChatService, startInternChatService } from '../harness/interns/intern-chat.ts'
import { answer, say } from '../harness/interns/interns.ts'
import { startReceiver } from '../harness/service/receiver.ts'
import { until } from '../harness/until.ts'

/** The state that a killed server leaves, simulated by a server that never contacted the daemon or sent nothing more. */
onOneDatabase('a question of a turn with a caller, whose server is killed', (kind) => {
  test('before it could store it, is stored, announced and answered nevertheless', async () => {
    await using receiver = await startReceiver()
    await using service = await startInternChatService({
      kind,
      settings: { webhook_origins: [receiver.origin] } as never,
    })
    await service.manage('POST', '/webhooks', { url: receiver.url, events: ['intern.question_asked'] })
    const leave = new AbortController()
    const prompt = 'permission shell allow_once\nsay done'
    const turn = await daemonOf(service, service.id).start(
      { prompt, attachments: [], mode: 'manual', sessionId: 's' },
      leave.signal,
    )
    for await (const event of turn) if (event.type === 'question.asked') break
    const [question] = await until(async () => {
      const listed = await questions(service)
      return listed.length > 0 && listed
    })
    const { result } = await receiver.receive('intern.question_asked')
    assert.equal(result.data.question_id, question.id)
    const request = { id: question.id, arguments: question }
    const reply = await answer(service, service.id, { sessionId: 's', question: request } as never, 'allow_once')
    assert.deepEqual([reply.finish, reply.text], ['stop', '[allow_once-0]done'])
    await until(async () => (await questions(service)).length === 0)
  })

  test('after it had given the answer, waits no longer', async () => {
    await using service = await startInternChatService({ kind })
    const { sessionId, question } = await say(service, service.id, 'permission shell allow_once\nwait 60000')
    assert.equal((await questions(service)).length, 1)
    const given = { sessionId: sessionId!, questionId: question!.id, answer: 'allow_once' }
    const leave = new AbortController()
    const turn = await daemonOf(service, service.id).answer(given, leave.signal)
    await until(async () => (await questions(service)).length === 0)
    await turn[Symbol.asyncIterator]().return?.()
  })
})

const questions = async (service: InternChatService) =>
  (await service.ask('GET', `/interns/${service.id}/questions`)).body.data
