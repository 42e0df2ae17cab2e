import assert from 'node:assert/strict'
import { mkdirSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import type { Rule } from '#interns/contract/rules/rule.ts'
import { startTestDaemon } from '#test/harness/interns/daemon.ts'

const inForce = (...rules: Rule[]) => ({ agent: 'scripted', sets: [{ scope: 'intern' as const, version: 2, rules }] })
const wants = (command: string, options = 'allow_once reject_once') =>
  `tool shell ${command}\npermission shell ${options}`

test('a denying rule applies in self-drive, and the agent gets a rejection', async () => {
  await using daemon = await startTestDaemon()
  await daemon.runs.setRules(inForce({ effect: 'deny', commands: ['git push'] }))
  const { text, last } = await daemon.say(wants('git push'), { mode: 'self-drive' })
  assert.deepEqual([text, last.type], ['[reject_once-1]', 'turn.finished'])
  assert.equal((await daemon.say(wants('git status'), { mode: 'self-drive' })).text, '[allow_once-0]')
})

test('the largest rules of a workspace and an intern are accepted together', async () => {
  await using daemon = await startTestDaemon()
  // Each body of the API has up to 1 MiB.
  const rules: Rule[] = [{ effect: 'deny', commands: ['x'.repeat(1024 * 1024 - 50)] }]
  const sets = (['workspace', 'intern'] as const).map((scope) => ({ scope, version: 1, rules }))
  await daemon.runs.setRules({ agent: 'scripted', sets })
})

test('a rule that allows answers in manual without a question', async () => {
  await using daemon = await startTestDaemon()
  await daemon.runs.setRules(inForce({ effect: 'allow', commands: ['npm test'] }))
  assert.equal((await daemon.say(wants('npm test'))).text, '[allow_once-0]')
  assert.equal((await daemon.say(wants('npm test && evil'))).question?.kind, 'permission')
})

test('an asking rule applies in self-drive too, each time', async () => {
  await using daemon = await startTestDaemon()
  await daemon.runs.setRules(inForce({ effect: 'ask', tools: ['shell'] }))
  const turn = await daemon.say(wants('make', 'allow_once allow_always reject_once'), { mode: 'self-drive' })
  assert.deepEqual(turn.question?.kind === 'permission' && turn.question.options, ['allow_once', 'reject_once'])
  assert.equal((await daemon.answer(turn, 'allow_once')).text, '[allow_once-0]')
})

test('a question about a path that is too long to be reported still reaches the server', async () => {
  await using daemon = await startTestDaemon()
  symlinkSync('/tmp', join(daemon.folder, 'workspace', 'link'))
  const turn = await daemon.say(wants(`cat link/${'a'.repeat(6000)}`))
  const milestones = await daemon.runs.transcripts.milestones(0, new AbortController().signal)
  const entry = milestones.at(-1)?.entry
  assert.ok(entry?.type === 'question' && entry.question.id === turn.question?.id)
  assert.deepEqual([entry.action?.linked, entry.action?.unsure], [[], true])
})

test('rules change in the midst of a turn', async () => {
  await using daemon = await startTestDaemon()
  const turn = await daemon.say(`${wants('make')}\n${wants('make')}`)
  await daemon.runs.setRules(inForce({ effect: 'deny', tools: ['shell'] }))
  assert.equal((await daemon.answer(turn, 'allow_once')).text, '[allow_once-0][reject_once-1]')
})

test('an agent that ends its turn because a rule said no has finished it', async () => {
  await using daemon = await startTestDaemon()
  await daemon.runs.setRules(inForce({ effect: 'deny' }))
  assert.equal((await daemon.say(`${wants('make')}\nquit`)).last.type, 'turn.finished')
})

test('an agent that ends its turn after an allowed action has cancelled it', async () => {
  await using daemon = await startTestDaemon()
  const deny: Rule = { effect: 'deny', commands: ['git push'] }
  const allow: Rule = { effect: 'allow', commands: ['make'] }
  const prompt = `${wants('git push')}\n${wants('make')}\nquit`
  await daemon.runs.setRules(inForce(deny, allow))
  assert.equal((await daemon.say(prompt)).last.type, 'run.ended')
  await daemon.runs.setRules(inForce(deny))
  assert.equal((await daemon.say(prompt, { mode: 'self-drive' })).last.type, 'run.ended')
  await daemon.runs.setRules(inForce(allow))
  assert.equal((await daemon.answer(await daemon.say(prompt), 'reject_once')).last.type, 'run.ended')
})

test('an agent that only offers “always” is not allowed by a rule', async () => {
  await using daemon = await startTestDaemon()
  await daemon.runs.setRules(inForce({ effect: 'allow', tools: ['shell'] }))
  assert.equal((await daemon.say(wants('make', 'allow_always reject_once'))).question?.kind, 'permission')
})

test('a long command is cut once, with a mark at its end', async () => {
  await using daemon = await startTestDaemon()
  await daemon.runs.setRules(inForce({ effect: 'deny' }))
  const command = `echo ${'x'.repeat(3000)}`
  const { sessionId } = await daemon.say(wants(command))
  const { entries } = (await daemon.runs.transcripts.read(sessionId!, { limit: 100 }))!
  const recorded = entries.flatMap((entry) => (entry.type === 'decision' ? [entry.detail] : []))
  const logged = (await daemon.runs.decisions(0)).map(({ detail }) => detail)
  const cut = `${command.slice(0, 2000)}…`
  assert.deepEqual([recorded, logged], [[cut], [cut]])
})

test('an edit is judged by where its path leads, by links too', async () => {
  await using daemon = await startTestDaemon()
  const workspace = join(daemon.folder, 'workspace')
  mkdirSync(join(workspace, 'src'), { recursive: true })
  symlinkSync('/etc', join(workspace, 'src/out'))
  await daemon.runs.setRules(inForce({ effect: 'allow', tools: ['edit'], paths: ['src/**'] }))
  const edit = async (path: string) => (await daemon.say(`edit ${path} {"after": "x"}`)).last.type
  assert.equal(await edit('src/a.ts'), 'turn.finished')
  assert.equal(await edit(join(workspace, 'src/new/b.ts')), 'turn.finished')
  for (const path of ['src/../a.ts', 'src/out/passwd', '/etc/passwd', '~/src/a.ts', '../src/a.ts'])
    assert.equal(await edit(path), 'question.asked', path)
})

test('a decision of a rule is in the transcript, and stored until the server has it', async () => {
  await using daemon = await startTestDaemon()
  await daemon.runs.setRules(inForce({ effect: 'deny', name: 'no pushes', commands: ['git push'] }))
  const { sessionId, runId } = await daemon.say(`${wants('git push')}\n${wants('git push')}`)
  const decision = { effect: 'deny', scope: 'intern', version: 2, rule: 1, name: 'no pushes', why: null }
  const { entries } = (await daemon.runs.transcripts.read(sessionId, { limit: 100 }))!
  const results = entries.filter((entry) => entry.type === 'decision')
  assert.deepEqual(
    results.map((entry) => [entry.operation, entry.detail, entry.decision]),
    [
      ['shell', 'git push', decision],
      ['shell', 'git push', decision],
    ],
  )
  const [first, second] = await daemon.runs.decisions(0)
  assert.deepEqual([first!.runId, first!.sessionId, first!.decision], [runId, sessionId, decision])
  assert.deepEqual(
    (await daemon.runs.decisions(first!.seq)).map(({ seq }) => seq),
    [second!.seq],
  )
  assert.deepEqual(await daemon.runs.decisions(second!.seq), [])
})
