import assert from 'node:assert/strict'
import { test } from 'node:test'
import { onOneDatabase } from '../../../harness/database/databases.ts'
import { scripted } from '../../../harness/interns/intern-chat.ts'
import { answer, runningIntern, say } from '../../../harness/interns/interns.ts'
import { startTestService, type TestService } from '../../../harness/service/service.ts'
import { addColleague } from '../../../harness/service/world/colleague.ts'
import { until } from '../../../harness/until.ts'

const selfDrive = { approval_mode: 'self-drive' }
const wants = (command: string) => `tool shell ${command}\npermission shell allow_once reject_once`

async function setRules(service: TestService, id: string, rules: object[], more: object = {}) {
  return service.ask('PUT', `/interns/${id}/rules`, { body: { rules, ...more } })
}
/** The intern's reply once its rules apply, which takes a moment. */
async function repeatUntilAnswered(service: TestService, id: string, prompt: string, expected: RegExp) {
  return until(async () => {
    const turn = await say(service, id, prompt, selfDrive)
    return expected.test(turn.text) && turn
  })
}
async function audited(service: TestService, action: string): Promise<any[]> {
  return (await service.manage('GET', `/audit?action=${action}`)).body.data
}

onOneDatabase('rules of interns', (kind) => {
  test('apply within a second to a running intern, and the audit log names the rule', async () => {
    await using service = await startTestService({ kind, settings: scripted })
    const { id, workspace_id: workspaceId } = await runningIntern(service, { agent: 'scripted' })
    assert.match((await say(service, id, wants('git push'), selfDrive)).text, /allow_once/)
    const set = await setRules(service, id, [{ effect: 'deny', name: 'no push', commands: ['git push'] }])
    assert.deepEqual([set.status, set.body.data.version], [200, 1])
    const turn = await repeatUntilAnswered(service, id, wants('git push'), /reject_once/)
    const [event] = await audited(service, 'intern.rule_decided')
    const { session_id, effect, scope, version, rule, name, detail } = event.after
    assert.deepEqual(
      [session_id, effect, scope, version, rule, name, detail, event.target.id],
      [turn.sessionId, 'deny', 'intern', 1, 1, 'no push', 'git push', id],
    )
    const path = `/workspaces/${workspaceId}/intern-rules`
    const wide = await service.manage('PUT', path, { rules: [{ effect: 'deny', commands: ['make'] }] })
    assert.deepEqual([wide.status, (await service.manage('GET', path)).body.data.version], [200, 1])
    await repeatUntilAnswered(service, id, wants('make'), /reject_once/)
    const entries = (await service.ask('GET', `/interns/${id}/sessions/${turn.sessionId}`)).body.data.entries
    const result = entries.find(({ type }: { type: string }) => type === 'decision')
    assert.deepEqual([result.effect, result.scope, result.version, result.detail], ['deny', 'intern', 1, 'git push'])
  })

  test('hold from the first word of an intern that starts', async () => {
    await using service = await startTestService({ kind, settings: scripted })
    const { body: created } = await service.ask('POST', '/interns', { body: { name: 'ada', agent: 'scripted' } })
    await setRules(service, created.id, [{ effect: 'deny', tools: ['shell'] }])
    await service.ask('POST', `/interns/${created.id}/provision`)
    await until(async () => (await service.ask('GET', `/interns/${created.id}`)).body.status === 'running')
    assert.match((await say(service, created.id, wants('ls'), selfDrive)).text, /reject_once/)
  })

  test('are judged for every tool of the builtin agent, in self-drive and in manual', async () => {
    await using service = await startTestService({ kind })
    const { id } = await runningIntern(service)
    await setRules(service, id, [
      { effect: 'deny', commands: ['touch'] },
      { effect: 'deny', tools: ['edit'], paths: ['secret/**'] },
      { effect: 'allow', commands: ['echo **'] },
      { effect: 'ask', tools: ['read'], paths: ['notes.txt'] },
    ])
    await until(async () => /did not allow/.test((await say(service, id, 'run `touch a`', selfDrive)).text))
    assert.match((await say(service, id, 'write secret/a.txt: x', selfDrive)).text, /Not allowed/)
    assert.match((await say(service, id, 'write secret/a.txt: x')).text, /Not allowed/, 'which asks for no permission')
    assert.doesNotMatch((await say(service, id, 'write notes.txt: x')).text, /Not allowed/)
    const echoed = await say(service, id, 'run `echo hello`')
    assert.deepEqual([echoed.question, /hello/.test(echoed.text)], [undefined, true])
    const turn = await say(service, id, 'read notes.txt', selfDrive)
    assert.equal(turn.question?.arguments.operation, 'read')
    assert.match((await answer(service, id, turn, 'allow_once')).text, /x/)
  })

  test('have versions, and detect concurrent changes', async () => {
    await using service = await startTestService({ kind })
    const { id } = (await service.ask('POST', '/interns', { body: { name: 'ada', visibility: 'workspace' } })).body
    const rules = [{ effect: 'deny', tools: ['shell'] }]
    assert.equal((await setRules(service, id, rules, { expected_version: 0 })).body.data.version, 1)
    assert.equal((await setRules(service, id, rules)).body.data.version, 1, 'equal rules create no version')
    assert.equal((await setRules(service, id, [], { expected_version: 1 })).body.data.version, 2)
    const late = await setRules(service, id, rules, { expected_version: 1 })
    assert.deepEqual([late.status, /at version 2, not 1/.test(late.body.error.message)], [409, true])
    const first = await service.ask('GET', `/interns/${id}/rules?version=1`)
    assert.deepEqual(first.body.data.rules, rules)
    assert.equal((await service.ask('GET', `/interns/${id}/rules?version=9`)).status, 404)
    const changes = await audited(service, 'intern.rules_changed')
    assert.deepEqual(
      changes.map(({ before, after }) => [before?.version, after.version]),
      [
        [1, 2],
        [undefined, 1],
      ],
    )
    const grace = await addColleague(service)
    assert.equal((await grace.ask('GET', `/interns/${id}/rules`)).status, 200)
    assert.equal((await grace.ask('PUT', `/interns/${id}/rules`, { body: { rules } })).status, 403)
  })

  test('that could never hold are refused with the place and the reason', async () => {
    await using service = await startTestService({ kind })
    const { id } = (await service.ask('POST', '/interns', { body: { name: 'ada' } })).body
    for (const [rule, message] of [
      [{ effect: 'allow', unclear: true }, /rules\[0\]\.unclear: a command that cannot be parsed is never allowed/],
      [{ effect: 'allow', commands: ['bash run.sh'] }, /rules\[0\]\.commands\[0\]: "bash" can run other commands here/],
      [{ effect: 'allow', commands: ['curl **'], hosts: ['a.example'] }, /rules\[0\]\.hosts/],
      [{ effect: 'deny', commands: ['git push; ls'] }, /words separated by spaces/],
      [{ effect: 'deny', commands: ['git ** push'] }, /can only be the last word/],
      [{ effect: 'deny', paths: ['../x'] }, /without "\.\."/],
      [{ effect: 'deny', hosts: ['https://x.example/'] }, /without scheme/],
      [{ effect: 'deny', command: ['x'] }, /did you mean "commands"/],
    ] as const) {
      const refused = await setRules(service, id, [rule])
      assert.equal(refused.status, 400)
      assert.match(refused.body.error.message, message)
    }
  })

  test('a replay returns the draft’s decisions and where people decided differently', async () => {
    await using service = await startTestService({ kind, settings: scripted })
    const { id, workspace_id: workspaceId } = await runningIntern(service, { agent: 'scripted' })
    for (const [command, result] of [
      ['npm test', 'allow_once'],
      ['npm test', 'allow_once'],
      ['npm test', 'reject_once'],
      ['rm -rf x', 'reject_once'],
      ['make', 'allow_once'],
      ['npm test $(id)', 'allow_once'],
    ] as const)
      await answer(service, id, await say(service, id, wants(command)), result)
    await say(service, id, wants('npm test'))
    const rules = [
      { effect: 'allow', name: 'tests', commands: ['npm test'] },
      { effect: 'deny', commands: ['rm', 'make'] },
    ]
    const { status, body } = await service.ask('POST', `/interns/${id}/rules/replay`, { body: { rules } })
    assert.equal(status, 200)
    const { all, would_allow, would_deny, would_ask, no_rule, by_rule, people_decided_otherwise, summary } = body.data
    const counted = (count: any) => [count.questions, count.people_allowed, count.people_rejected, count.unanswered]
    assert.deepEqual([all, would_allow, would_deny, would_ask, no_rule].map(counted), [
      [7, 4, 2, 1],
      [4, 2, 1, 1],
      [2, 1, 1, 0],
      [1, 1, 0, 0],
      [0, 0, 0, 0],
    ])
    assert.match(summary, /allowed 4 of 7, 1 of the 2 that members rejected; would have denied 2, 1 of the 4/)
    assert.deepEqual(
      by_rule.map((one: any) => [one.rule, one.effect, one.questions]),
      [
        [1, 'allow', 4],
        [2, 'deny', 2],
        [2, 'ask', 1],
      ],
    )
    assert.deepEqual(
      people_decided_otherwise.map((one: any) => [one.detail, one.effect, one.answer]),
      [
        ['make', 'deny', 'allow_once'],
        ['npm test', 'allow', 'reject_once'],
      ],
    )
    assert.deepEqual(body.data.questions, [], 'questions are listed only on request')
    const listed = await service.ask('POST', `/interns/${id}/rules/replay`, { body: { rules, list: 2 } })
    assert.deepEqual(
      listed.body.data.questions.map((one: any) => [one.detail, one.effect, one.rule, one.answer]),
      [
        ['npm test', 'allow', 1, null],
        ['npm test $(id)', 'ask', 2, 'allow_once'],
      ],
    )
    const path = `/workspaces/${workspaceId}/intern-rules/replay`
    const wide = await service.manage('POST', path, { rules: [{ effect: 'deny' }] })
    assert.deepEqual([wide.status, wide.body.data.would_deny.questions], [200, 7])
    assert.equal((await service.ask('GET', `/interns/${id}/rules`)).body.data.version, 0, 'nothing is stored')
  })
})
