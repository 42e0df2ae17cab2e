import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openDb } from '#platform/db/open.ts'
import { onOneDatabase } from '../../../harness/database/databases.ts'
import { scripted } from '../../../harness/interns/intern-chat.ts'
import { answer, runningIntern, say } from '../../../harness/interns/interns.ts'
import { openBrowser } from '../../../harness/service/browser-client.ts'
import { startTestService, type TestService } from '../../../harness/service/service.ts'
import { addColleague } from '../../../harness/service/world/colleague.ts'

const permission = 'permission shell allow_once reject_once\nsay on'
const waiting = async (who: Pick<TestService, 'ask'>) => (await who.ask('GET', '/interns/questions')).body.data
const names = async (who: Pick<TestService, 'ask'>) =>
  (await waiting(who)).map((request: { intern_name: string }) => request.intern_name).sort()

onOneDatabase('waiting questions of all interns', (kind) => {
  test('is each question as its intern lists it, with whose it is, until it is answered', async () => {
    await using service = await startTestService({ kind, settings: scripted })
    const ada = await runningIntern(service, { agent: 'scripted', visibility: 'workspace' })
    const bob = await runningIntern(service, { agent: 'scripted', name: 'bob' })
    const first = await say(service, ada.id, permission)
    await say(service, bob.id, permission)
    const all = await waiting(service)
    assert.equal(all.length, 2)
    for (const request of all) {
      const { intern_id, intern_name, workspace_id, creator_user_id, creator_name, ...question } = request
      assert.deepEqual((await service.ask('GET', `/interns/${intern_id}/questions`)).body.data, [question])
      const intern = (await service.ask('GET', `/interns/${intern_id}`)).body
      assert.equal(creator_name, 'Owner')
      const whose = [intern.name, intern.workspace_id, intern.creator_user_id]
      assert.deepEqual([intern_name, workspace_id, creator_user_id], whose)
    }
    await answer(service, ada.id, first, 'allow_once')
    assert.deepEqual(await names(service), ['bob'])
  })

  test('a member sees questions of shared interns; other workspaces see none', async () => {
    await using service = await startTestService({ kind, settings: scripted })
    const other = (await service.manage('POST', '/workspaces', { name: 'Other', slug: 'other' })).body.data.id
    const [grace, heidi] = [await addColleague(service), await addColleague(service, 'heidi', { workspace_id: other })]
    for (const [who, name, visibility] of [
      [service, 'shared', 'workspace'],
      [service, 'mine', 'creator'],
      [grace, 'hers', 'creator'],
    ] as const)
      await say(who, (await runningIntern(who, { agent: 'scripted', name, visibility })).id, permission)
    assert.deepEqual(await names(service), ['mine', 'shared'])
    assert.deepEqual(await names(grace), ['hers', 'shared'])
    assert.deepEqual(await names(heidi), [])
    assert.equal((await service.manage('GET', '/interns/questions')).status, 401)
  })

  test('developers and viewers see the same in a browser as with their keys', async () => {
    await using service = await startTestService({ kind, settings: scripted })
    const grace = await addColleague(service)
    for (const visibility of ['workspace', 'creator'])
      await say(
        service,
        (await runningIntern(service, { agent: 'scripted', name: visibility, visibility })).id,
        permission,
      )
    for (const access of ['developer', 'viewer']) {
      await service.manage('PATCH', `/organization/members/${grace.userId}`, { access })
      const browser = await openBrowser(service, { key: grace.key })
      assert.deepEqual(await names(browser as never), ['workspace'], access)
    }
  })

  test('questions are sorted by deadline over pages, and ended ones are missing', async () => {
    let ahead = 0
    const settings = { ...scripted, intern_question_ms: 600_000 }
    await using service = await startTestService({ kind, settings, now: () => Date.now() + ahead })
    const { id } = await runningIntern(service, { agent: 'scripted' })
    const answers = [
      await say(service, id, permission),
      await say(service, id, permission),
      await say(service, id, permission),
    ]
    const page = async (query: string) => (await service.ask('GET', `/interns/questions?limit=2${query}`)).body
    const first = await page('')
    const idsOf = (data: { id: string }[]) => data.map((one) => one.id)
    assert.deepEqual(idsOf(first.data), idsOf(answers.slice(0, 2).map((one) => one.question!)))
    await answer(service, id, answers[1]!, 'allow_once')
    const second = await page(`&starting_after=${first.next_cursor}`)
    assert.deepEqual([idsOf(second.data), second.has_more], [[answers[2]!.question!.id], false])
    const refused = await service.ask('GET', '/interns/questions?starting_after=nonsense')
    assert.deepEqual([refused.status, /starting_after: must be/.test(refused.text)], [400, true])
    ahead = 86_400_000
    assert.deepEqual((await page('')).data, [])
  })

  test('of an intern that runs no more nothing waits', async () => {
    await using service = await startTestService({ kind, settings: scripted })
    const { id } = await runningIntern(service, { agent: 'scripted' })
    await say(service, id, permission)
    const db = await openDb(service.testStore.settings)
    await db.query.updateTable('interns').set({ status: 'failed' }).where('id', '=', id).execute()
    await db.close()
    assert.deepEqual(await names(service), [])
  })
})
