import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { decide } from '#interns/contract/rules/decide.ts'
import type { Rule, RuleSet } from '#interns/contract/rules/rule.ts'
import { maxEventBytes } from '#interns/contract/turn-event.ts'
import { readPermission } from '../permissions/permission.ts'
import { toAction, toReportedAction } from './action.ts'

type Call = { kind?: string; name?: string; title?: string; rawInput: object }

const askedFor = (toolCall: Call) =>
  readPermission({ toolCall: { toolCallId: 'c', ...toolCall }, options: [] }, '/work', () => undefined)
const effectOf = (rule: Rule, toolCall: Call) =>
  decide([{ scope: 'intern', version: 1, rules: [rule] }], toAction(askedFor(toolCall).tool, '/work'), 'builtin')
    ?.effect

const harmless = { command: 'git status' }
const payment: Call = { kind: 'other', name: 'bank__pay', title: 'bank: Pay', rawInput: { to: 'evil', ...harmless } }
const page: Call = {
  kind: 'fetch',
  name: 'fetch',
  title: 'Fetch',
  rawInput: { url: 'https://evil.test/', ...harmless },
}
const key: Call = { kind: 'read', name: 'read_file', title: 'Read', rawInput: { path: 'a.pem', ...harmless } }
const hook: Call = { kind: 'edit', name: 'write_file', title: 'Write', rawInput: { path: '.git/hooks/x', ...harmless } }
const others = { payment, page, key, hook }

for (const [name, call] of Object.entries(others)) {
  test(`an allowed command in the input of another tool allows nothing: ${name}`, () => {
    assert.equal(effectOf({ effect: 'allow', commands: ['git status'] }, call), undefined)
  })

  test(`such a command is not shown as the approved command: ${name}`, () => {
    const { question, details } = askedFor(call)
    assert.equal(details.command, null)
    assert.notEqual(question.operation, 'shell')
    for (const value of Object.values(call.rawInput)) assert.ok(question.detail?.includes(value), question.detail ?? '')
  })

  test(`does not bypass a denial: ${name}`, () => {
    const denials: Record<keyof typeof others, Rule> = {
      payment: { effect: 'deny', tools: ['bank__pay'] },
      page: { effect: 'deny', hosts: ['evil.test'] },
      key: { effect: 'deny', paths: ['**/*.pem'] },
      hook: { effect: 'deny', tools: ['edit'], paths: ['.git/**'] },
    }
    assert.equal(effectOf(denials[name as keyof typeof others], call), 'deny')
  })
}

test('command arguments of an MCP tool are checked against deny rules', () => {
  const remote = { kind: 'other', name: 'ssh__exec', rawInput: { command: 'sudo git "push"' } }
  assert.equal(effectOf({ effect: 'deny', commands: ['git push'] }, remote), 'deny')
  assert.equal(effectOf({ effect: 'deny', commands: ['curl'] }, remote), undefined)
  assert.equal(effectOf({ effect: 'allow', tools: ['ssh__exec'] }, remote), 'allow')
})

test('an unidentified tool is never allowed by its command, and shows its full input', () => {
  const unnamed = { kind: 'other', title: 'Run', rawInput: { command: 'ls', on: 'production' } }
  assert.equal(effectOf({ effect: 'allow', commands: ['ls'] }, unnamed), undefined)
  assert.equal(effectOf({ effect: 'deny', commands: ['ls'] }, unnamed), 'deny')
  const { question, details } = askedFor(unnamed)
  assert.match(question.detail ?? '', /production/)
  assert.deepEqual([details.command, details.detail], [null, question.detail])
})

test('file and URL arguments do not allow an MCP tool that the rule does not name', () => {
  const sent = (rawInput: object) => ({ kind: 'other', name: 'mail__send', rawInput: { to: 'evil', ...rawInput } })
  for (const [where, input] of [
    [{ paths: ['src/**'] }, { path: 'src/a.ts' }],
    [{ hosts: ['good.test'] }, { url: 'https://good.test/' }],
  ] as const) {
    const allow = { effect: 'allow', ...where } as unknown as Rule
    assert.equal(effectOf(allow, sent(input)), undefined)
    assert.equal(effectOf({ ...allow, tools: ['mail__send'] }, sent(input)), 'allow')
  }
})

test('a reported action keeps the limits of the server, and is unsure if cut', () => {
  const action = { operation: 'shell', command: 'ls', paths: ['a'], hosts: ['a.test'], root: '/work', unsure: false }
  assert.deepEqual(toReportedAction(action), action)
  const long = { ...action, paths: ['a', 'b'.repeat(6000)], hosts: ['a.test', `${'c'.repeat(600)}.test`] }
  assert.deepEqual(toReportedAction(long), { ...action, unsure: true })
  const huge = { ...action, command: '\u0001'.repeat(64_000), paths: Array(200).fill('d'.repeat(4000)) }
  const reported = toReportedAction(huge)
  assert.ok(JSON.stringify(reported).length < maxEventBytes / 2 && reported.unsure)
})

test('the working folder of a call is that of its command, as if a cd preceded it', () => {
  using there = linkedWorkspace()
  const { base, work } = there
  const effect = (command: string, folder: string, glob: string, field = 'workdir') => {
    const rules: Rule[] = [
      { effect: 'deny', paths: [glob] },
      { effect: 'allow', commands: ['cat **', 'ls'] },
    ]
    const { tool } = askedFor({ kind: 'execute', rawInput: { command, [field]: folder } })
    return decide([{ scope: 'intern', version: 1, rules }], toAction(tool, work), 'builtin')?.effect
  }
  for (const folder of ['docs', `${work}/docs`, './docs/', 'docs/deep/..'])
    assert.equal(effect('cat a.pem', folder, 'docs/*.pem'), 'deny', folder)
  for (const field of ['cwd', 'directory', 'dir_path'])
    assert.equal(effect('cat a.pem', 'docs', 'docs/*.pem', field), 'deny', field)
  assert.equal(effect('ls', 'docs', 'docs/**'), 'deny')
  assert.equal(effect('cat ../docs/a', 'other', 'docs/a'), 'deny')
  assert.equal(effect('cat passwd', 'notes', `${base}/out/**`), 'deny')
  assert.equal(effect('cat b.pem', 'docs', 'docs/a.pem'), 'allow')
  assert.equal(effect('cat passwd', 'notes', 'docs/**'), 'ask')
})

test('separate arguments are a part of the command', () => {
  const call = (args: string[]) => ({ kind: 'execute', rawInput: { command: 'git', args } })
  assert.equal(effectOf({ effect: 'deny', commands: ['git push'] }, call(['push', '-f'])), 'deny')
  assert.equal(effectOf({ effect: 'allow', commands: ['git'] }, call(['push'])), undefined)
  assert.equal(effectOf({ effect: 'allow', commands: ['git status'] }, call(['status'])), 'allow')
  assert.equal(askedFor(call(['push', '-f'])).question.detail, 'git push -f')
  const script = { kind: 'execute', rawInput: { command: 'true; git', args: ['push'] } }
  assert.equal(effectOf({ effect: 'deny', commands: ['git push'] }, script), 'deny')
})

test('an invalid file address is judged as unknown', () => {
  for (const path of ['file:///%E0%A4%A', 'file://[x/y'])
    assert.equal(effectOf({ effect: 'allow', tools: ['read'] }, { kind: 'read', rawInput: { path } }), undefined)
})

/** A workspace with three links: out of it, to a missing file, and into a subfolder. */
function linkedWorkspace() {
  const base = realpathSync(mkdtempSync(join(tmpdir(), 'signalbox-links-')))
  for (const folder of ['work/docs/deep', 'out/deep']) mkdirSync(join(base, folder), { recursive: true })
  symlinkSync(join(base, 'out'), join(base, 'work/notes'))
  symlinkSync('../out/new', join(base, 'work/later'))
  symlinkSync('docs/deep', join(base, 'work/inside'))
  symlinkSync('round', join(base, 'work/round'))
  return { base, work: join(base, 'work'), [Symbol.dispose]: () => rmSync(base, { recursive: true }) }
}

test('a command that gets at a file by a link is one about that file', () => {
  using there = linkedWorkspace()
  const { base, work } = there
  const effect = (command: string, pattern: string) => {
    const rules: Rule[] = [
      { effect: 'deny', paths: [pattern] },
      { effect: 'allow', commands: ['cat **', 'cd **', 'tee **'] },
    ]
    const { tool } = askedFor({ kind: 'execute', rawInput: { command } })
    return decide([{ scope: 'intern', version: 1, rules }], toAction(tool, work), 'builtin')?.effect
  }
  for (const command of [
    ...['cat notes/passwd', 'cat ./notes//passwd', 'cat docs/../notes/passwd', 'cat notes/deep/../passwd', 'cat later'],
    ...['cd notes && cat passwd', `cat ${work}/notes/passwd`, 'cat inside/../../notes/passwd', 'tee --output=notes/x'],
  ])
    assert.equal(effect(command, `${base}/out/**`), 'deny', command)
  assert.equal(effect('cat inside/../a', 'docs/a'), 'deny')
  for (const command of ['cat docs/passwd', 'cat inside/a', 'cat notes2/passwd', 'cat round/x'])
    assert.equal(effect(command, `${base}/out/**`), 'allow', command)
})

test('a link in a workspace does not make its target allowed', () => {
  using there = linkedWorkspace()
  const allow: RuleSet = { scope: 'intern', version: 1, rules: [{ effect: 'allow', paths: ['**'] }] }
  const effect = (path: string) =>
    decide([allow], toAction(askedFor({ kind: 'edit', rawInput: { path } }).tool, there.work), 'builtin')?.effect
  for (const path of ['notes/passwd', 'later', 'docs/../notes/passwd', 'notes/../a', `${there.work}/notes`, 'round/x'])
    assert.equal(effect(path), path === 'round/x' ? 'allow' : undefined, path)
  for (const path of ['a', 'inside/a', 'docs/../a', 'new/er/file']) assert.equal(effect(path), 'allow', path)
})
