import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openDb } from '#platform/db/open.ts'
import { onOneDatabase } from '../../../harness/database/databases.ts'
import { scripted } from '../../../harness/interns/intern-chat.ts'
import { runningIntern } from '../../../harness/interns/interns.ts'
import { startReceiver } from '../../../harness/service/receiver.ts'
import { startTestService, type TestService } from '../../../harness/service/service.ts'
import { addColleague } from '../../../harness/service/world/colleague.ts'
import { until } from '../../../harness/until.ts'

type Kind = Parameters<Parameters<typeof onOneDatabase>[1]>[0]

/** A service whose webhook receives links, with an intern that works in the background. */
async function world(kind: Kind, more: object = {}) {
  const receiver = await startReceiver()
  const settings = { ...scripted, webhook_origins: [receiver.origin], public_url: 'https://signalbox.example', ...more }
  const service = await startTestService({ kind, settings })
  const include = ['question', 'answer_link']
  const { body } = await service.manage('POST', '/webhooks', { url: receiver.url, include })
  const { id } = await runningIntern(service, { agent: 'scripted' })
  return {
    ...{ service, receiver, id, webhook: body.data.id as string },
    /** A question of the intern, its link at this service, and the run. */
    async ask(prompt: string) {
      const messages = [{ role: 'user', content: prompt }]
      const request = { background: true, approval_mode: 'manual', messages }
      const started = await service.ask('POST', `/interns/${id}/chat/completions`, { body: request })
      const { session_id } = started.body.data
      const answer = await receiver.receive('intern.question_asked', (data) => data.session_id === session_id)
      const [, path] = /^https:\/\/signalbox\.example\/api\/v1(\/answers\/\S+)$/.exec(answer.result.data.answer_url)!
      return { path: path!, run: started.body.data.id as string }
    },
    ended: (run: string) =>
      until(async () => {
        const { data } = (await service.ask('GET', `/interns/${id}/runs/${run}`)).body
        return data.status === 'ended' && data
      }),
    async [Symbol.asyncDispose]() {
      await service[Symbol.asyncDispose]()
      await receiver[Symbol.asyncDispose]()
    },
  }
}

const look = (service: TestService, path: string) => service.ask('GET', path, { key: null })

/** The form data that a browser sends for a page. */
async function press(service: TestService, path: string, form: Record<string, string>) {
  const response = await fetch(service.url + path, { method: 'POST', body: new URLSearchParams(form) })
  return { status: response.status, text: await response.text() }
}

onOneDatabase('a link that answers', (kind) => {
  test('shows the whole question, answers once without a key, and is audited', async () => {
    await using w = await world(kind)
    const { path, run } = await w.ask('edit run.sh {"before": "a\\n", "after": "<b>bold</b>\\n"}\nsay done')
    for (let opened = 0; opened < 3; opened++) {
      const page = await look(w.service, path)
      assert.equal(page.status, 200)
      assert.match(page.headers.get('content-security-policy')!, /default-src 'none'.*form-action 'self'/)
      assert.equal(page.headers.get('referrer-policy'), 'no-referrer')
      for (const html of ['run.sh', '-a', '+&#60;b&#62;bold', 'value="allow_once"'])
        assert.ok(page.text.includes(html), `${html} in ${page.text}`)
    }
    assert.equal((await w.service.ask('GET', `/interns/${w.id}/runs/${run}`)).body.data.status, 'waiting')
    const answered = await press(w.service, path, { answer: 'allow_once' })
    assert.deepEqual([answered.status, /was sent to/.test(answered.text)], [200, true])
    assert.equal((await w.ended(run)).outcome, 'finished')
    for (const response of [await press(w.service, path, { answer: 'reject_once' }), await look(w.service, path)])
      assert.deepEqual([response.status, /has been used/.test(response.text)], [410, true])
    const { data } = (await w.service.manage('GET', '/audit?action=intern.answered')).body
    assert.deepEqual([data.length, data[0].actor.key_hash, data[0].after.answer], [1, null, 'allow_once'])
    assert.equal(data[0].after.link.webhook_id, w.webhook)
  })

  test('accepts a form, refuses invalid fields by name, then is usable again', async () => {
    await using w = await world(kind)
    const schema = { type: 'object', properties: { age: { type: 'integer', minimum: 18 } }, required: ['age'] }
    const { path, run } = await w.ask(`ask ${JSON.stringify(schema)}`)
    assert.match((await look(w.service, path)).text, /name="field\.age"/)
    const wrong = await press(w.service, path, { answer: 'accept', 'field.age': '7' })
    assert.deepEqual([wrong.status, /age must/.test(wrong.text)], [400, true], wrong.text)
    assert.equal((await press(w.service, path, {})).status, 400)
    assert.equal((await press(w.service, path, { answer: 'accept', 'field.age': '21' })).status, 200)
    assert.equal((await w.ended(run)).outcome, 'finished')
  })

  test('says to try again later while the intern starts', async () => {
    await using w = await world(kind)
    const { path } = await w.ask('permission shell allow_once reject_once')
    const db = await openDb(w.service.testStore.settings)
    await db.query.updateTable('interns').set({ status: 'provisioning' }).where('id', '=', w.id).execute()
    await db.close()
    const refused = await press(w.service, path, { answer: 'allow_once' })
    assert.deepEqual([refused.status, /<h1>Not now/.test(refused.text)], [409, true])
  })

  test('is used by one of many concurrent requests', async () => {
    await using w = await world(kind)
    const { path, run } = await w.ask('permission shell allow_once reject_once')
    const all = await Promise.all(Array.from({ length: 8 }, () => press(w.service, path, { answer: 'allow_once' })))
    const statuses = all.map(({ status }) => status).sort()
    assert.deepEqual(statuses, [200, 410, 410, 410, 410, 410, 410, 410])
    await w.ended(run)
    const { data } = (await w.service.manage('GET', '/audit?action=intern.answered')).body
    assert.equal(data.length, 1)
  })

  test('that a server had used when it died answers all the same, once', async () => {
    await using w = await world(kind)
    const { path, run } = await w.ask('permission shell allow_once\nsay done')
    // The state after a server was killed between accepting the link and delivering the answer to the intern.
    const usedSince = async (ms: number) => {
      const db = await openDb(w.service.testStore.settings)
      await db.query
        .updateTable('webhook_deliveries')
        .set({ answered_at: Date.now() - ms })
        .where('answerable', 'is not', null)
        .execute()
      await db.close()
    }
    await usedSince(1000)
    assert.equal((await look(w.service, path)).status, 410)
    await usedSince(61_000)
    assert.equal((await look(w.service, path)).status, 200)
    const presses = Array.from({ length: 4 }, () => press(w.service, path, { answer: 'allow_once' }))
    assert.deepEqual((await Promise.all(presses)).map(({ status }) => status).sort(), [200, 410, 410, 410])
    assert.equal((await w.ended(run)).outcome, 'finished')
    await usedSince(61_000)
    assert.match((await press(w.service, path, { answer: 'allow_once' })).text, /has been used/)
  })

  test('that is invalid, expired or without question reports it and answers nothing', async () => {
    await using w = await world(kind, { intern_question_ms: 4000 })
    const first = await w.ask('permission shell allow_once')
    const last = first.path.at(-1) === '0' ? '1' : '0'
    const later = first.path.replace(/\.(\d+)\./, (_, until) => `.${Number(until) + 600_000}.`)
    for (const forged of [first.path.slice(0, -1) + last, later, '/answers/x', first.path.slice(0, -9)]) {
      assert.equal((await look(w.service, forged)).status, 404)
      assert.equal((await press(w.service, forged, { answer: 'allow_once' })).status, 404)
    }
    assert.equal((await w.ended(first.run)).outcome, 'deadline')
    const expired = await until(async () => {
      const page = await press(w.service, first.path, { answer: 'allow_once' })
      return /has expired/.test(page.text) && page
    })
    assert.equal(expired.status, 410)
    const second = await w.ask('permission shell allow_once')
    await w.service.ask('POST', `/interns/${w.id}/runs/${second.run}/cancel`)
    await w.ended(second.run)
    assert.equal((await look(w.service, second.path)).status, 410)
    const third = await w.ask('permission shell allow_once')
    await w.service.manage('PATCH', `/webhooks/${w.webhook}`, { include: ['question'] })
    assert.match((await look(w.service, third.path)).text, /no longer valid: its webhook/)
  })

  test('ends when its webhook changes, because the address can have leaked', async () => {
    await using w = await world(kind)
    const { path } = await w.ask('permission shell allow_once')
    await w.service.manage('PATCH', `/webhooks/${w.webhook}`, { description: 'The same place.' })
    assert.equal((await look(w.service, path)).status, 200)
    await w.service.manage('PATCH', `/webhooks/${w.webhook}`, { url: `${w.receiver.origin}/elsewhere` })
    for (const answer of [await look(w.service, path), await press(w.service, path, { answer: 'allow_once' })]) {
      assert.equal(answer.status, 410)
      assert.match(answer.text, /no longer valid: its webhook/)
    }
    const fresh = await w.ask('permission shell allow_once')
    assert.equal((await look(w.service, fresh.path)).status, 200)
  })
})

test('a link answers on behalf of its creator, as long as they have access', async () => {
  await using w = await world('sqlite')
  const grace = await addColleague(w.service)
  const asking = { ask: grace.ask }
  const hers = await runningIntern(asking, { name: 'hers', agent: 'scripted', visibility: 'workspace' })
  const body = {
    background: true,
    approval_mode: 'manual',
    messages: [{ role: 'user', content: 'permission shell allow_once' }],
  }
  await grace.ask('POST', `/interns/${hers.id}/chat/completions`, { body })
  const { result } = await w.receiver.receive('intern.question_asked', (data) => data.intern_id === hers.id)
  const path = result.data.answer_url.replace('https://signalbox.example/api/v1', '')
  assert.equal((await look(w.service, path)).status, 200)
  await grace.ask('PATCH', `/interns/${hers.id}`, { body: { visibility: 'creator' } })
  assert.equal((await look(w.service, path)).status, 404)
  assert.equal((await press(w.service, path, { answer: 'allow_once' })).status, 404)
})
