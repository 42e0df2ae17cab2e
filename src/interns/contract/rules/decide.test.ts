import assert from 'node:assert/strict'
import { test } from 'node:test'
import { decide } from './decide.ts'
import type { Action, Rule, RuleScope } from './rule.ts'

const nothing: Action = { operation: null, command: null, paths: [], hosts: [], root: '/work', unsure: false }
const shell = (command: string): Action => ({ ...nothing, operation: 'shell', command })
const edit = (...paths: string[]): Action => ({ ...nothing, operation: 'edit', paths })
const fetch = (...hosts: string[]): Action => ({ ...nothing, operation: 'fetch', hosts })

const of = (scope: RuleScope, ...rules: Rule[]) => ({ scope, version: 3, rules })
const effectOf = (rules: Rule[], action: Action, agent = 'builtin') =>
  decide([of('intern', ...rules)], action, agent)?.effect

test('the first matching rule decides, and is returned with its version', () => {
  const rules: Rule[] = [
    { effect: 'allow', tools: ['edit'], paths: ['src/**'] },
    { effect: 'deny', name: 'no edits', tools: ['edit'] },
  ]
  assert.equal(effectOf(rules, edit('src/a.ts')), 'allow')
  const decision = decide([of('intern', ...rules)], edit('a.ts'), 'builtin')
  assert.deepEqual(decision, { effect: 'deny', scope: 'intern', version: 3, rule: 2, name: 'no edits', why: null })
})

test('without a rule that matches nothing is decided', () => {
  assert.equal(decide([], shell('ls'), 'builtin'), undefined)
  assert.equal(effectOf([{ effect: 'deny', tools: ['edit'] }], shell('ls')), undefined)
})

test('the stricter of the rules of workspace and intern decides', () => {
  const rule = (effect: Rule['effect']): Rule => ({ effect, commands: ['make'] })
  for (const [workspace, intern, decided] of [
    ['allow', 'deny', 'deny'],
    ['deny', 'allow', 'deny'],
    ['ask', 'allow', 'ask'],
    ['allow', 'ask', 'ask'],
    ['allow', 'allow', 'allow'],
  ] as const) {
    const sets = [of('workspace', rule(workspace)), of('intern', rule(intern))]
    assert.equal(decide(sets, shell('make'), 'builtin')?.effect, decided, `${workspace} and ${intern}`)
  }
  assert.equal(decide([of('workspace', rule('deny')), of('intern')], shell('ls'), 'builtin'), undefined)
})

test('a command list is allowed if all are, denied if one is, open if one is', () => {
  const rules: Rule[] = [
    { effect: 'allow', commands: ['ls', 'pwd'] },
    { effect: 'deny', commands: ['rm'] },
  ]
  assert.equal(effectOf(rules, shell('ls && pwd')), 'allow')
  assert.equal(effectOf(rules, shell('ls && make')), undefined)
  assert.equal(effectOf(rules, shell('ls && make; rm x')), 'deny')
})

test('a denied path is found in a variable of a command, and behind CDPATH', () => {
  const rules: Rule[] = [{ effect: 'deny', paths: ['.env', '/etc/ssl/*'] }]
  assert.equal(effectOf(rules, shell('KEYS=".env" deploy')), 'deny')
  assert.equal(effectOf(rules, shell('CDPATH=/etc cd ssl && cat key')), 'ask')
  assert.equal(effectOf(rules, shell('KEYS=.envrc deploy')), undefined)
})

test('an action that takes too long to compare with all rules is asked about', () => {
  const names = Array.from({ length: 100 }, (_, at) => `tool${at} sub`)
  const rules = Array.from({ length: 200 }, (): Rule => ({ effect: 'deny', commands: names }))
  const [complex, simple] = ['true a b;'.repeat(900), 'true']
  assert.equal(effectOf([...rules, { effect: 'allow', commands: ['true **'] }], shell(complex)), 'ask')
  assert.equal(effectOf([...rules, { effect: 'deny', tools: ['edit'] }], shell(simple)), undefined)
  assert.equal(effectOf([{ effect: 'deny', tools: ['shell'] }, ...rules], shell(complex)), 'deny')
  assert.equal(effectOf([{ effect: 'allow', commands: ['true **'] }], shell(complex)), 'allow')
  assert.equal(effectOf([{ effect: 'allow', tools: ['shell'] }, ...rules], shell(`${complex}true > x`)), 'ask')
})

test('a possible deny rule asks, even if a later rule allows', () => {
  const decision = decide(
    [of('intern', { effect: 'deny', commands: ['git push'] }, { effect: 'allow' })],
    shell('git $X'),
    'x',
  )
  assert.deepEqual([decision?.effect, decision?.rule], ['ask', 1])
  assert.match(decision?.why ?? '', /It is uncertain/)
})

test('no allow rule applies to a command that cannot be parsed', () => {
  for (const rule of [{ effect: 'allow' }, { effect: 'allow', tools: ['shell'] }] as Rule[]) {
    assert.equal(effectOf([rule], shell('ls')), 'allow')
    assert.equal(effectOf([rule], shell('ls $(id)')), undefined)
    assert.equal(effectOf([rule], { ...shell('ls'), unsure: true }), undefined)
    assert.equal(effectOf([rule], { ...nothing, operation: 'shell' }), undefined)
  }
})

test('unparsable commands have a separate condition', () => {
  const rules: Rule[] = [{ effect: 'deny', unclear: true }]
  assert.equal(effectOf(rules, shell('ls $(id)')), 'deny')
  assert.equal(effectOf(rules, shell('bash run.sh')), 'deny')
  assert.equal(effectOf(rules, shell('ls')), undefined)
  assert.equal(effectOf(rules, edit('a')), undefined)
})

test('a rule is about agents and tools by their names', () => {
  assert.equal(effectOf([{ effect: 'deny', agents: ['codex'] }], shell('ls'), 'codex'), 'deny')
  assert.equal(effectOf([{ effect: 'deny', agents: ['codex'] }], shell('ls'), 'kimi'), undefined)
  const escalated = { ...shell('ls'), operation: 'shell.escalate' }
  assert.equal(effectOf([{ effect: 'deny', tools: ['shell'] }], escalated), 'deny')
  assert.equal(effectOf([{ effect: 'allow', tools: ['shell'] }], escalated), undefined)
  assert.equal(effectOf([{ effect: 'deny', tools: ['edit'] }], nothing), 'ask', 'what is not known may be denied')
})

test('paths are resolved: all are allowed, or any is denied', () => {
  const allow: Rule[] = [{ effect: 'allow', paths: ['src/**', '*.md'] }]
  assert.equal(effectOf(allow, edit('src/a/b.ts', 'README.md')), 'allow')
  for (const path of ['docs/a.md', '/etc/passwd', 'src2/a', '.'])
    assert.notEqual(effectOf(allow, edit('src/a.ts', path)), 'allow')
  assert.equal(effectOf(allow, edit()), undefined, 'of none nothing is known')
  const deny: Rule[] = [{ effect: 'deny', paths: ['.git/**', '/etc/**', '**/*.pem'] }]
  for (const path of ['.git', '.git/hooks/x', '/etc', '/etc/passwd', 'a.pem', 'a/b/c.pem'])
    assert.equal(effectOf(deny, edit('src/a.ts', path)), 'deny', path)
  assert.equal(effectOf(deny, edit('.gitignore')), undefined)
})

test('the files that a command names are denied, however they are written', () => {
  const deny: Rule[] = [{ effect: 'deny', paths: ['.env'] }]
  for (const command of [
    'cat .env',
    'cat ./.env',
    'cat x/../.env',
    'cat /work/.env',
    'cat ".env"',
    'echo x > .env',
    'dd if=.env',
    'sh -c "cat .env"',
    'cat $(echo .env)',
    'grep -f.env x',
    'cat .ENV',
    'cd /work && cat .env',
    'cd x; cd ..; cat .env',
    "git rm ':/.env'",
    "git checkout HEAD~1 -- ':(top).env'",
    "git add ':(top,icase).ENV'",
  ])
    assert.equal(effectOf(deny, shell(command)), 'deny', command)
  for (const command of ['cat .e*', 'cat $X', 'cat ~/x', 'cat $(echo .e)nv', 'cd - && cat x', 'cd "$X"; cat nv'])
    assert.equal(effectOf(deny, shell(command)), 'ask', command)
  assert.equal(effectOf([{ effect: 'deny', paths: ['a/b.txt'] }], shell('cd a && cat b.txt')), 'deny')
  assert.equal(effectOf(deny, shell('cat .envrc')), undefined)
})

test('a denied path is found in the folder that an option of a program names', () => {
  const deny: Rule[] = [{ effect: 'deny', paths: ['a/b/key'] }]
  for (const command of [
    'git -C a/b show HEAD:key',
    'git -C a -C b add key',
    'cd a && git -C b rm key',
    'tar -C a/b -cf out.tar key',
    'tar -cf out.tar -C a -C b key',
    'tar -Ca/b -cf out.tar key',
    'tar -czC a/b -f out.tar key',
    'tar cfC out.tar a/b key',
    'tar --dir=a/b -cf out.tar key',
    'tar --directory a/b -cf out.tar key',
    'git --work-tree=a/b checkout key',
    'yarn --cwd a/b add ./key',
    'make -C a/b key',
    'npm --prefix a/b run build key',
    'env -C a/b cat key',
    'cp --target-directory=a/b key',
    'env --chdir=a/b cat key',
    'for i in 1; do git -C a/b show HEAD:key; done',
  ])
    assert.equal(effectOf(deny, shell(command)), 'deny', command)
  for (const command of ['git -C "$X" show HEAD:key', `git ${'-C . '.repeat(50)} add key`])
    assert.equal(effectOf(deny, shell(command)), 'ask', command)
  for (const command of ['git -C a show HEAD:key', 'git -C a/b status; cat key', 'grep -C 3 x key'])
    assert.equal(effectOf(deny, shell(command)), undefined, command)
})

test('hosts are allowed by name for fetches alone, and denied wherever they stand', () => {
  const allow: Rule[] = [{ effect: 'allow', hosts: ['example.com', '*.docs.example'] }]
  assert.equal(effectOf(allow, fetch('example.com', 'a.docs.example')), 'allow')
  for (const host of ['evil.example', 'docs.example', 'notexample.com'])
    assert.equal(effectOf(allow, fetch(host)), undefined)
  assert.equal(effectOf(allow, fetch()), undefined)
  assert.equal(effectOf(allow, shell('wget https://example.com')), undefined)
  const deny: Rule[] = [{ effect: 'deny', hosts: ['*.evil.example', '127.0.0.1', 'internal'] }]
  for (const command of [
    'curl https://a.evil.example/x',
    'curl A.EVIL.example',
    'git clone git@a.evil.example:x',
    'curl http://2130706433/',
    'sh -c "curl a.ev"il.example',
    'curl https://a.ev%69l.example',
    'curl https://a。evil．example',
    'curl 2130706433',
    'curl 0x7f000001',
    'curl https://x:y@a.evil.example./',
    'curl http://internal/x',
    'git clone git@internal:x',
  ])
    assert.equal(effectOf(deny, shell(command)), 'deny', command)
  for (const command of [
    'curl $X',
    "curl 'https://{a,b}.evil.exam{p,q}le'",
    'curl "https://a[1-9].x"',
    'ping internal',
  ])
    assert.equal(effectOf(deny, shell(command)), 'ask', command)
  assert.equal(effectOf(deny, shell("curl 'http://[::2]/'")), undefined)
  assert.equal(effectOf(deny, shell('curl https://good.example')), undefined)
})

test('long patterns and long words are compared in little time', () => {
  const pattern = `${'*a'.repeat(140)}*b`
  const startedAt = performance.now()
  assert.equal(effectOf([{ effect: 'deny', commands: [pattern] }], shell('a'.repeat(60_000))), undefined)
  // A comparison that tries every way would take longer than the universe is old.
  assert.ok(performance.now() - startedAt < 60_000)
})

test('a command with many parts or one long word is judged quickly by its hosts', () => {
  const rules: Rule[] = [{ effect: 'deny', hosts: ['evil.example'] }]
  const startedAt = performance.now()
  assert.equal(effectOf(rules, shell('a'.repeat(64_000))), undefined)
  assert.equal(effectOf(rules, shell('ls a.b;'.repeat(900))), undefined)
  assert.ok(performance.now() - startedAt < 20_000)
})
