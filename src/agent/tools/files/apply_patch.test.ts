import assert from 'node:assert/strict'
import { chmod, mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { openConfined } from '#platform/files/confined-folder.ts'
import { modelWithResponses, newAgent } from '#test/harness/interns/scripted-agent.ts'
import type { ToolContext } from '../tool.ts'
import { applyPatch } from './apply_patch.ts'

const patch = (...lines: string[]) => ['*** Begin Patch', ...lines, '*** End Patch'].join('\n')

/** An agent in a workspace with these files, whose model applies the patch. */
async function patching(files: Record<string, string>, text: string) {
  const { model } = modelWithResponses([[{ name: 'apply_patch', arguments: JSON.stringify({ patch: text }) }], 'done'])
  const at = await newAgent({ model, settings: { model: 'm', instructions: () => '', maxSteps: 5 } })
  for (const [name, content] of Object.entries(files)) {
    await mkdir(join(at.workspace, name, '..'), { recursive: true })
    await writeFile(join(at.workspace, name), content)
  }
  await at.prompt('go')
  const read = (name: string) => readFile(join(at.workspace, name), 'utf8')
  return Object.assign(at, { result: at.results()[0] ?? '', read })
}

test('a patch changes, creates, deletes and moves files, and reports it', async () => {
  await using at = await patching(
    { 'a.ts': 'one\ntwo\nthree\nfour\n', 'old.ts': 'gone\n', 'src/b.ts': 'b\nc\n' },
    patch(
      '*** Update File: a.ts',
      '@@',
      ' one',
      '-two',
      '+TWO',
      ' three',
      '@@',
      ' four',
      '+five',
      '*** Add File: new/c.ts',
      '+made',
      '*** Delete File: old.ts',
      '*** Update File: src/b.ts',
      '*** Move to: src/d.ts',
      '@@',
      '-b',
      '+B',
    ),
  )
  assert.equal(at.result, 'Changed a.ts.\nMade new/c.ts.\nDeleted old.ts.\nMade src/d.ts.\nDeleted src/b.ts.')
  assert.equal(await at.read('a.ts'), 'one\nTWO\nthree\nfour\nfive\n')
  assert.equal(await at.read('new/c.ts'), 'made\n')
  assert.equal(await at.read('src/d.ts'), 'B\nc\n')
  assert.deepEqual((await readdir(at.workspace)).sort(), ['a.ts', 'new', 'src'])
  const call = at.updates.find((each) => each.sessionUpdate === 'tool_call')
  assert.deepEqual(
    call?.locations?.map(({ path }) => path),
    ['a.ts', 'new/c.ts', 'old.ts', 'src/b.ts', 'src/d.ts'],
  )
  const end = at.updates.find((each) => each.sessionUpdate === 'tool_call_update' && each.status === 'completed')
  const diff = end && 'content' in end && Array.isArray(end.content) ? end.content[1] : undefined
  assert.deepEqual(diff, {
    type: 'diff',
    path: 'a.ts',
    oldText: 'one\ntwo\nthree\nfour\n',
    newText: 'one\nTWO\nthree\nfour\nfive\n',
  })
})

test('if hunks do not fit, no file is changed and each of them is reported', async () => {
  const files = { 'a.ts': 'one\ntwo\nthree\n', 'b.ts': 'x\nx\n' }
  await using at = await patching(
    files,
    patch(
      ...['*** Add File: c.ts', '+c', '*** Update File: a.ts', '@@', ' one', '-zwei', ' three'],
      ...['*** Update File: b.ts', '@@', '-x', '+y', '*** Delete File: none.ts'],
    ),
  )
  assert.match(
    at.result,
    /^Error: Nothing was changed\. a\.ts is not as the patch has it: hunk 1 of 1: line 2 is "two", the patch has "zwei"\. The file has:\n1\tone\n2\ttwo\n3\tthree\nMake/m,
  )
  assert.match(
    at.result,
    /^b\.ts is not as the patch has it: hunk 1 of 1: its lines stand at lines 1, 2: give more lines/m,
  )
  assert.match(at.result, /^none\.ts does not exist\.$/m)
  for (const [name, text] of Object.entries(files)) assert.equal(await at.read(name), text)
  assert.deepEqual((await readdir(at.workspace)).sort(), ['a.ts', 'b.ts'])
})

test('if one file cannot be written, the files before it in the patch are not changed', async () => {
  const long = 'x'.repeat(300)
  await using at = await patching(
    { 'a.ts': 'one\n', 'b.ts': 'b\n' },
    patch(
      ...['*** Update File: a.ts', '@@', '-one', '+two', '*** Add File: new.ts', '+n', '*** Delete File: b.ts'],
      ...[`*** Add File: ${long}`, '+x'],
    ),
  )
  assert.match(at.result, /^Error: Nothing was changed\. x+ has a name that is too long\.$/)
  assert.deepEqual([await at.read('a.ts'), await at.read('b.ts')], ['one\n', 'b\n'])
  assert.deepEqual((await readdir(at.workspace)).sort(), ['a.ts', 'b.ts'])
})

test('a line after "@@" selects one of several positions', async () => {
  await using at = await patching(
    { 'a.py': 'def one():\n    return 1\n\ndef two():\n    return 1\n' },
    patch('*** Update File: a.py', '@@ def two():', '-    return 1', '+    return 2'),
  )
  assert.equal(await at.read('a.py'), 'def one():\n    return 1\n\ndef two():\n    return 2\n')
})

test('line ends of Windows and spaces at line ends stay as they are in the file', async () => {
  await using at = await patching(
    { 'a.txt': 'one\r\ntwo\r\nthree\r\n', 'b.txt': 'one  \ntwo\n' },
    patch(
      ...['*** Update File: a.txt', '@@', ' one', '-two', '+zwei', ' three'],
      ...['*** Update File: b.txt', '@@ -1,9 +1,9 @@', ' one', '-two', '+zwei'],
    ),
  )
  assert.equal(await at.read('a.txt'), 'one\r\nzwei\r\nthree\r\n')
  assert.equal(await at.read('b.txt'), 'one  \nzwei\n')
})

test('a patch of git or diff is applied, also with wrong line numbers', async () => {
  await using at = await patching(
    { 'a.js': 'one\ntwo\nthree\n', 'old.js': 'x\n', 'no-end.js': 'last' },
    [
      ...[
        'diff --git a/a.js b/a.js',
        'index 1..2 100644',
        '--- a/a.js',
        '+++ b/a.js',
        '@@ -90,2 +90,2 @@',
        ' one',
        '-two',
        '+TWO',
      ],
      ...[
        '--- /dev/null',
        '+++ b/new.js',
        '@@ -0,0 +1 @@',
        '+made',
        '--- a/old.js',
        '+++ /dev/null',
        '@@ -1 +0,0 @@',
        '-x',
      ],
      ...['--- a/no-end.js', '+++ b/no-end.js', '@@ -1 +1 @@', '-last', '\\ No newline at end of file', '+end'],
    ].join('\n'),
  )
  assert.equal(at.result, 'Changed a.js.\nMade new.js.\nDeleted old.js.\nChanged no-end.js.')
  assert.equal(await at.read('a.js'), 'one\nTWO\nthree\n')
  assert.deepEqual([await at.read('new.js'), await at.read('no-end.js')], ['made\n', 'end'])
  const call = at.updates.find((each) => each.sessionUpdate === 'tool_call')
  assert.deepEqual(
    call?.locations?.map(({ path }) => path),
    ['a.js', 'new.js', 'old.js', 'no-end.js'],
  )
})

test('a hunk gets the file’s indentation if that is unambiguous, else it is refused', async () => {
  const file = { 'a.py': 'def f():\n\tif x:\n\t\treturn 1\n' }
  const hunk = (...lines: string[]) => patch('*** Update File: a.py', '@@', '     if x:', '-        return 1', ...lines)
  await using answer = await patching(file, hunk('+        return 2', '+    return 3'))
  assert.equal(await answer.read('a.py'), 'def f():\n\tif x:\n\t\treturn 2\n\treturn 3\n')
  assert.match(answer.result, /^Changed a\.py\.\nhunk 1 of 1: indented as the file is$/)
  await using unknown = await patching(file, hunk('+            return 2'))
  assert.match(
    unknown.result,
    /line 2 is "\\tif x:", the patch has " {4}if x:"\. The file has:\n1\tdef f\(\):\n2\t\tif x:/,
  )
  assert.equal(await unknown.read('a.py'), file['a.py'])
})

test('a context line can differ if the removed lines are unique, and it is reported', async () => {
  const file = { 'a.js': 'a\nb\nc\nd\ne\nc\nd\n' }
  await using at = await patching(file, patch('*** Update File: a.js', '@@', ' A', '-b', '+B', ' c'))
  assert.equal(await at.read('a.js'), 'a\nB\nc\nd\ne\nc\nd\n')
  assert.match(at.result, /^Changed a\.js\.\nhunk 1 of 1: lines around the change differ in the file:\n1\ta\n2\tb/)
  await using twice = await patching(file, patch('*** Update File: a.js', '@@', ' A', '-c', '+C', ' d'))
  assert.match(twice.result, /Nothing was changed/)
  assert.equal(await twice.read('a.js'), file['a.js'])
})

test('hunks apply in any order where their lines occur exactly once', async () => {
  const file = { 'a.js': 'class A {\n  a\n  b\n  c\n  d\n}\n' }
  const update = ['*** Update File: a.js']
  await using order = await patching(
    file,
    patch(...update, '@@', '   c', '-  d', '+  D', '+  E', '@@', '-  a', '+  A', '@@', '-}', '+};'),
  )
  assert.equal(await order.read('a.js'), 'class A {\n  A\n  b\n  c\n  D\n  E\n};\n')
  await using named = await patching(file, patch(...update, '@@ class B {', '-  b', '+  B'))
  assert.equal(await named.read('a.js'), 'class A {\n  a\n  B\n  c\n  d\n}\n')
  await using nowhere = await patching(file, patch(...update, '@@ class B {', '+  new'))
  assert.match(
    nowhere.result,
    /no line from 1 on is "class B \{", which its "@@" names\. The file has:\n1\tclass A \{\n/,
  )
})

for (const [what, text, says] of [
  [
    'has a line outside of a section',
    'hello\n*** Delete File: a',
    /Line 1 of the patch is "hello", but a section begins with/,
  ],
  [
    'has a line of a new file without "+"',
    patch('*** Add File: b', '+x', 'y'),
    /Line 4 of the patch is "y", but each line of a new file begins with "\+"/,
  ],
  [
    'has an invalid line in a hunk',
    patch('*** Update File: a', '@@', 'x'),
    /Line 4 of the patch is "x", but a line of a hunk/,
  ],
  ['names no file', '*** Begin Patch\n*** End Patch', /names no file/],
  ['names a file twice', patch('*** Delete File: a', '*** Delete File: a'), /two sections for a/],
  [
    'names a file twice by different paths',
    patch('*** Update File: a', '@@', '-one', '+ONE', '*** Update File: ./a', '@@', '+two'),
    /two sections for the file \.\/a/,
  ],
  [
    'moves a file to the path of a new one',
    patch('*** Add File: b', '+x', '*** Update File: a', '*** Move to: b'),
    /two sections for the file b/,
  ],
  ['creates an existing file', patch('*** Add File: a', '+x'), /a already exists/],
  ['leads out of the workspace', patch('*** Add File: ../x', '+x'), /\.\.\/x is outside the workspace/],
  [
    'makes a link',
    'diff --git a/l b/l\nnew file mode 120000\n--- /dev/null\n+++ b/l\n@@ -0,0 +1 @@\n+a\n\\ No newline at end of file\n',
    /gives l the mode 120000, but only 100644 and 100755 are supported/,
  ],
  [
    'quotes the path of a file whose mode it changes',
    'diff --git "a/\\303" "b/\\303"\nold mode 100644\nnew mode 100755\ndiff --git a/a b/a\nold mode 100644\nnew mode 100755\n',
    /Line 1 of the patch is "diff --git/,
  ],
  ['has no change for a file', patch('*** Update File: a'), /says nothing of what to change in a/],
] as [string, string, RegExp][])
  test(`a patch is refused that ${what}`, async () => {
    await using at = await patching({ a: 'one\n' }, text)
    assert.match(at.result, says)
    assert.equal(await at.read('a'), 'one\n')
  })

test('a moved file keeps its permissions', async () => {
  await using at = await patching({ a: 'one\n' }, 'no patch')
  await chmod(join(at.workspace, 'a'), 0o755)
  const context = { workspace: await openConfined(at.workspace) } as ToolContext
  await applyPatch.run({ patch: patch('*** Update File: a', '*** Move to: b/c') }, context)
  assert.equal((await stat(join(at.workspace, 'b/c'))).mode & 0o777, 0o755)
})

test('files that git only moves, creates or deletes are not skipped', async () => {
  await using at = await patching(
    { 'old.txt': 'moved\n', 'empty.txt': '', 'a.txt': 'a\n' },
    [
      ...['diff --git a/old.txt b/new.txt', 'similarity index 100%', 'rename from old.txt', 'rename to new.txt'],
      ...['diff --git a/empty.txt b/empty.txt', 'deleted file mode 100644', 'index e69de29..0000000'],
      ...['diff --git a/made.txt b/made.txt', 'new file mode 100644', 'index 0000000..e69de29'],
      ...['diff --git a/a.txt b/a.txt', '--- a/a.txt', '+++ b/a.txt', '@@ -1 +1 @@', '-a', '+A', ''],
    ].join('\n'),
  )
  assert.equal(at.result, 'Made new.txt.\nDeleted old.txt.\nDeleted empty.txt.\nMade made.txt.\nChanged a.txt.')
  assert.deepEqual((await readdir(at.workspace)).sort(), ['a.txt', 'made.txt', 'new.txt'])
})

test('modes of a git diff are applied, also without a changed line', async () => {
  const diff = [
    ...['diff --git a/run.sh b/run.sh', 'old mode 100644', 'new mode 100755'],
    ...['diff --git a/b.sh b/b.sh', 'old mode 100644', 'new mode 100755', 'index 1..2', '--- a/b.sh', '+++ b/b.sh'],
    ...['@@ -1 +1 @@', '-b', '+B'],
    ...['diff --git a/old b/new', 'old mode 100644', 'new mode 100755', 'similarity index 100%'],
    ...['rename from old', 'rename to new'],
    ...[
      'diff --git a/made.sh b/made.sh',
      'new file mode 100755',
      '--- /dev/null',
      '+++ b/made.sh',
      '@@ -0,0 +1 @@',
      '+x',
    ],
    '',
  ].join('\n')
  await using at = await patching({ 'run.sh': 'run\n', 'b.sh': 'b\n', old: 'o\n' }, diff)
  const isExecutable = async (name: string) => ((await stat(join(at.workspace, name))).mode & 0o100) !== 0
  for (const name of ['run.sh', 'b.sh', 'new', 'made.sh']) assert.ok(await isExecutable(name), `${name}: ${at.result}`)
  assert.equal(await at.read('b.sh'), 'B\n')
  assert.match(at.result, /^Changed run\.sh\. It is executable\.$/m)
  const context = { workspace: await openConfined(at.workspace) } as ToolContext
  const back = 'diff --git a/run.sh b/run.sh\nold mode 100755\nnew mode 100644\n'
  await assert.rejects(applyPatch.run({ patch: `${back}--- /dev/null\n+++ b/b.sh/c\n+x\n` }, context))
  assert.ok(await isExecutable('run.sh'))
  await applyPatch.run({ patch: back }, context)
  assert.equal(await isExecutable('run.sh'), false)
})

const newFile = patch('*** Add File: new', '+x')

for (const [what, text, expected] of [
  ['in a fence', ['```diff', newFile, '```'].join('\n'), 'x\n'],
  ['in a shell command', ["apply_patch <<'EOF'", newFile, 'EOF'].join('\n'), 'x\n'],
  ['in two blocks', `${newFile}\n${patch('*** Delete File: a')}`, 'x\n'],
  [
    'of git, for a file without a line end',
    'diff --git a/new b/new\nnew file mode 100644\n--- /dev/null\n+++ b/new\n@@ -0,0 +1 @@\n+x\n\\ No newline at end of file\n',
    'x',
  ],
] as const)
  test(`a patch ${what} is applied`, async () => {
    await using at = await patching({ a: 'one\n' }, text)
    assert.equal(await at.read('new'), expected, at.result)
    if (text.includes('Delete')) await assert.rejects(at.read('a'))
  })
