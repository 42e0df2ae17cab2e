import assert from 'node:assert/strict'
import { symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { missingSandbox, realShell } from '#test/harness/interns/scripted-agent.ts'
import { setUpTools } from '#test/harness/interns/tools.ts'
import type { OperationRequest } from './tool.ts'
import { tools } from './tools.ts'

test('every tool describes its input as a JSON Schema object', () => {
  for (const { name, spec } of tools) {
    assert.equal(spec.parameters.type, 'object')
    assert.ok(spec.description.length > 50, `${name}: describe the tool in more than 50 characters`)
  }
})

test('wrong arguments are reported by name', async () => {
  await using at = await setUpTools()
  await assert.rejects(
    at.use('read_file', { path: 1 }),
    /arguments of read_file are wrong; it takes path, offset, limit\..*at path/s,
  )
  // The refused field could be essential for the call.
  await assert.rejects(at.use('write_file', { path: 'a', content: '', append: true }), /"append"/)
  await assert.rejects(at.text('a'), { code: 'ENOENT' })
})

test('read_file numbers lines from the offset and reports how many remain', async () => {
  await using at = await setUpTools({ 'a.txt': 'one\ntwo\nthree\nfour\n', empty: '' })
  assert.equal(await at.use('read_file', { path: 'a.txt' }), '1\tone\n2\ttwo\n3\tthree\n4\tfour')
  assert.equal(
    await at.use('read_file', { path: 'a.txt', offset: 2, limit: 2 }),
    '2\ttwo\n3\tthree\n[lines 2 to 3 of 4]',
  )
  await assert.rejects(at.use('read_file', { path: 'a.txt', offset: 9 }), { message: 'a.txt has only 4 lines.' })
  assert.equal(await at.use('read_file', { path: 'empty' }), '(empty is empty)')
})

test('read_file shows a huge file in bounds, and a binary one not at all', async () => {
  await using at = await setUpTools({ huge: 'x'.repeat(11 * 1024 * 1024), binary: Buffer.from([1, 0, 2]) })
  assert.ok((await at.use('read_file', { path: 'huge' })).length < 70_000)
  await assert.rejects(
    at.use('read_file', { path: 'binary' }),
    /^Error: binary is a binary file of 3 bytes: look at it with the shell/,
  )
})

test('edit_file replaces text that occurs exactly once', async () => {
  await using at = await setUpTools({ 'a.ts': 'const a = 1\nconst b = $1\n' })
  assert.equal(
    await at.use('edit_file', { path: 'a.ts', old_text: 'b = $1', new_text: 'b = $&' }),
    'Changed a.ts at line 2.',
  )
  assert.equal(await at.text('a.ts'), 'const a = 1\nconst b = $&\n')
})

test('edit_file changes nothing if the text is missing or occurs more than once', async () => {
  const before = 'x = 1\nx = 1\n  y = 2\n'
  await using at = await setUpTools({ 'a.py': before })
  const edit = (old_text: string, more = {}) => at.use('edit_file', { path: 'a.py', old_text, new_text: 'z', ...more })
  await assert.rejects(edit('x = 1'), /has old_text 2 times \(lines 1, 2\)/)
  await assert.rejects(edit('q'), /does not contain old_text, or anything like it: read/)
  await assert.rejects(edit('y =  2'), /exactly\. The most similar lines:\n1\tx = 1\n2\tx = 1\n3\t {2}y = 2\nTake/)
  await assert.rejects(edit('z'), /the same/)
  assert.equal(await at.text('a.py'), before)
  assert.match(await edit('x = 1', { replace_all: true }), /in 2 places/)
  assert.equal(await at.text('a.py'), 'z\nz\n  y = 2\n')
})

test('edit_file matches lines with any line end, and keeps each line end', async () => {
  const mixed = 'alpha\nbeta\r\ngamma\ndelta'
  const edits: [content: string, input: object, result: string][] = [
    [mixed, { old_text: 'gamma\ndelta', new_text: 'g\nd' }, 'alpha\nbeta\r\ng\nd'],
    [mixed, { old_text: 'gamma', new_text: 'GAMMA\nGAMMA' }, 'alpha\nbeta\r\nGAMMA\nGAMMA\ndelta'],
    [mixed, { old_text: 'beta\ngamma', new_text: 'b\ng' }, 'alpha\nb\r\ng\ndelta'],
    [mixed, { old_text: 'alpha\r\nbeta\r\n', new_text: 'a\r\nb\r\n' }, 'a\nb\r\ngamma\ndelta'],
    [mixed, { old_text: 'delta', new_text: 'd\ne' }, 'alpha\nbeta\r\ngamma\nd\ne'],
    ['a\r\nb\r\n', { old_text: 'a\r\nb', new_text: 'a\nb' }, 'a\nb\r\n'],
    ['a\r\nb\r\nc\r\n', { old_text: '\nb', new_text: '' }, 'a\r\nc\r\n'],
    ['x\ny\r\nx\r\ny', { old_text: 'x\ny', new_text: 'z\nz', replace_all: true }, 'z\nz\r\nz\r\nz'],
  ]
  for (const [content, input, result] of edits) {
    await using at = await setUpTools({ 'a.txt': content })
    await at.use('edit_file', { path: 'a.txt', ...input })
    assert.equal(await at.text('a.txt'), result, JSON.stringify(input))
  }
})

test('edit_file names a difference of Unicode composition', async () => {
  await using at = await setUpTools({ 'a.txt': 'cafe\u0301\n' })
  const edit = at.use('edit_file', { path: 'a.txt', old_text: 'caf\u00e9', new_text: 'tea' })
  await assert.rejects(edit, /another Unicode composition/)
})

test('edit_file preserves Windows line ends and refuses files that are not UTF-8', async () => {
  await using at = await setUpTools({ 'a.txt': 'one\r\ntwo\r\nthree\r\n', latin: Buffer.from([0x61, 0xe9]) })
  await at.use('edit_file', { path: 'a.txt', old_text: 'one\ntwo', new_text: '1\n2' })
  assert.equal(await at.text('a.txt'), '1\r\n2\r\nthree\r\n')
  await assert.rejects(at.use('edit_file', { path: 'latin', old_text: 'a', new_text: 'b' }), /not UTF-8 text/)
})

test('write_file creates folders and reports the change', async () => {
  await using at = await setUpTools()
  assert.equal(await at.use('write_file', { path: 'a/b/c.txt', content: 'é' }), 'Made a/b/c.txt (2 bytes).')
  assert.equal(await at.use('write_file', { path: 'a/b/c.txt', content: '' }), 'Replaced a/b/c.txt (0 bytes).')
  await assert.rejects(at.use('write_file', { path: 'a/b', content: '' }), { message: 'a/b is a folder.' })
})

test('list_files lists a folder without following links or opening large ones', async () => {
  await using at = await setUpTools({ 'src/a.ts': '', 'src/deep/b.test.ts': '', 'node_modules/x/y.js': '' })
  await symlink('/etc', join(at.path, 'link'))
  const listed = 'link@\nnode_modules/ (not opened)\nsrc/\nsrc/a.ts\nsrc/deep/\nsrc/deep/b.test.ts'
  assert.equal(await at.use('list_files', {}), listed)
  assert.equal(await at.use('list_files', { pattern: '**/*.test.ts' }), 'src/deep/b.test.ts')
  assert.equal(await at.use('list_files', { pattern: '*.ts' }), 'src/a.ts\nsrc/deep/b.test.ts')
  await assert.rejects(at.use('list_files', { path: 'link' }), /outside the workspace/)
})

test('search finds text and patterns, and no pattern makes it hang', { timeout: 600_000 }, async () => {
  await using at = await setUpTools({
    'a.txt': `Hello world\n${'a'.repeat(50)}!\n`,
    'b/c.txt': 'hello again',
    bin: 'hello\0',
  })
  assert.equal(await at.use('search', { pattern: 'hello' }), 'b/c.txt:1: hello again')
  assert.match(await at.use('search', { pattern: '^h.llo', ignore_case: true }), /a.txt:1: Hello world\nb\/c.txt:1/)
  assert.equal(await at.use('search', { pattern: 'again', path: 'b/c.txt' }), 'b/c.txt:1: hello again')
  assert.equal(await at.use('search', { pattern: '(a+)+$', glob: '*.md' }), '(nothing found)')
  assert.equal(await at.use('search', { pattern: '(a+)+b' }), '(nothing found)')
  await assert.rejects(at.use('search', { pattern: '(' }), /The pattern is wrong/)
})

test('shell returns output, errors and exit code, without the agent’s secrets', async () => {
  process.env.SIGNALBOX_TEST_SECRET = 'secret'
  await using at = await setUpTools()
  const message = await at.use('shell', { command: 'echo out; echo err >&2; env; exit 3' })
  delete process.env.SIGNALBOX_TEST_SECRET
  assert.match(message, /^out\nerr\n/)
  assert.match(message, /\[exit code 3\]$/)
  // Except for the mark by which the daemon finds the process.
  assert.doesNotMatch(message.replace(/SIGNALBOX_AGENT_OF=\S+/, ''), /SIGNALBOX/)
})

for (const [setting, answer] of [
  ['refuse', true],
  ['refuse', false],
  ['consent', true],
  ['consent', false],
] as const) {
  const runs = setting === 'consent' && answer
  test(`no sandbox, "${setting}", ${answer ? 'yes' : 'no'}: the command ${runs ? 'runs' : 'does not run'}`, async () => {
    const requests: OperationRequest[] = []
    const requestPermission = async (request: OperationRequest) => requests.push(request) > 0 && answer
    await using at = await setUpTools(
      {},
      { mode: 'manual', requestPermission, shell: realShell({}, missingSandbox, setting) },
    )
    for (const unsandboxed of [false, true]) {
      const message = await at
        .use('shell', { command: 'touch made', unsandboxed })
        .catch((error: Error) => error.message)
      if (runs) assert.match(message, /\[exit code 0\]/)
      else if (answer)
        assert.match(message, /not run, though it was allowed: the sandbox is not available.*without_sandbox/)
      else assert.match(message, /did not allow/)
    }
    assert.deepEqual(
      requests.map(({ operation }) => operation),
      Array(2).fill(setting === 'refuse' ? 'shell' : 'shell.escalate'),
    )
    for (const { title } of requests) assert.match(title, /^The sandbox is not available, so .*: touch made$/)
    assert.equal(await at.use('list_files', {}), runs ? 'made' : '(empty)')
  })
}

test('in a pod a command runs with consent and without a sandbox', async () => {
  const requests: OperationRequest[] = []
  const requestPermission = async (request: OperationRequest) => requests.push(request) > 0
  const shell = Object.assign(realShell({}, missingSandbox, 'pod'), { sandboxError: assert.fail })
  await using at = await setUpTools({}, { mode: 'manual', requestPermission, shell })
  assert.match(await at.use('shell', { command: 'touch made' }), /\[exit code 0\]/)
  const title = "In the intern's pod, which is its sandbox: touch made"
  assert.deepEqual(requests, [{ operation: 'shell', title }])
})

test('ask_user returns the answer or that there was none', async () => {
  await using declined = await setUpTools()
  assert.match(await declined.use('ask_user', { message: 'Which?' }), /declined/)
  await using answer = await setUpTools({}, { ask: async () => ({ action: 'accept', content: { answer: 'that' } }) })
  assert.equal(await answer.use('ask_user', { message: 'Which?' }), '{"answer":"that"}')
  const field = { name: 'x', type: 'array' }
  await assert.rejects(answer.use('ask_user', { message: 'Which?', fields: [field] }), /x of type array needs options/)
})

test('the error for a missing file suggests similar files', async () => {
  await using at = await setUpTools({ 'lib/Cart.js': '', 'lib/settings.yaml': '', 'docs/cart.md': '' })
  const names = async (tool: string, path: string) =>
    /There (?:is|are) (.*)\.$/.exec(await at.use(tool, { path, pattern: 'x' }).catch((error) => error.message))?.[1]
  assert.equal(
    await at.use('read_file', { path: 'src/cart.js' }).catch(({ message }) => message),
    'src/cart.js does not exist. There are lib/Cart.js, docs/cart.md.',
  )
  assert.equal(await names('search', '/app/lib/Cart.js'), 'lib/Cart.js, docs/cart.md')
  assert.equal(await names('list_files', 'libs/settings.yml'), 'lib/settings.yaml')
  assert.equal(await names('list_files', 'nothing/like/this'), undefined)
})

test('the error for a deleted file says that git has it', async () => {
  await using at = await setUpTools({ 'lib/a.sh': 'a', 'xlib/b.sh': '' })
  await at.use('shell', { command: 'git init -q . && git add . && rm lib/a.sh' })
  await assert.rejects(at.use('read_file', { path: 'lib/a.sh' }), /but is in git.*"git checkout -- lib\/a\.sh"/)
  await assert.rejects(
    at.use('read_file', { path: 'lib/b.sh' }),
    /^Error: lib\/b\.sh does not exist\. There is xlib\/b\.sh\.$/,
  )
})

test('edit_file shows the most similar lines of a long file', async () => {
  const lines = (count: number, from = 0) =>
    Array.from({ length: count }, (_, at) => `  value ${from + at} = ${at}`).join('\n')
  await using at = await setUpTools({ 'a.txt': lines(100_000) })
  const old_text = `value 90000  =  90000\nother\n${lines(5_000, 200_000)}`
  await assert.rejects(
    at.use('edit_file', { path: 'a.txt', old_text, new_text: '' }),
    /most similar lines:\n89999\t.*\n.*\n90001\t {2}value 90000 = 90000\n/,
  )
})

test('edit_file removes line numbers copied from read_file', async () => {
  await using at = await setUpTools({ 'a.py': 'x = 1\ny = 2\n', 'b.tsv': '1\tone\n' })
  await at.use('edit_file', { path: 'a.py', old_text: '1\tx = 1\n2\ty = 2', new_text: '1\tx = 3\n2\ty = 4' })
  assert.equal(await at.text('a.py'), 'x = 3\ny = 4\n')
  await at.use('edit_file', { path: 'a.py', old_text: '1\tx = 3\n', new_text: '1\tx = 5\n' })
  assert.equal(await at.text('a.py'), 'x = 5\ny = 4\n')
  await at.use('edit_file', { path: 'b.tsv', old_text: '1\tone', new_text: '1\ttwo' })
  assert.equal(await at.text('b.tsv'), '1\ttwo\n')
})

test('search names partly read files, and read_file says how to read the rest', async () => {
  await using at = await setUpTools({ 'big.log': `${'all is well\n'.repeat(1_000_000)}FATAL\n` })
  assert.match(
    await at.use('search', { pattern: 'FATAL' }),
    /nothing found.*only the first \d+ bytes were searched of big\.log: grep/s,
  )
  await assert.rejects(at.use('read_file', { path: 'big.log', offset: 1_000_001 }), /sed -n '1000001,1000050p'/)
})

test('shell adds hints about effects that a command did not have', async () => {
  await using at = await setUpTools({})
  const says = (command: string) => at.use('shell', { command })
  assert.match(await says('sleep 600 & echo up'), /ended with it\. Use start_process/)
  assert.match(await says('cd /'), /next command starts in the workspace again/)
  assert.match(await says('yes | head -c 100000'), /run it again through grep, head or tail/)
  const heredoc = "cat <<'END' >&2\na & b\nEND\n"
  for (const silent of [
    'sleep 0 & wait',
    'true && echo "a & b" 2>&1',
    'cd / && true',
    ': &>/dev/null',
    heredoc,
    ': $((1 & 2)) # a & b',
  ])
    assert.doesNotMatch(await says(silent), /start_process|next command/)
  const late = await at.use('shell', { command: 'sleep 600', timeout_seconds: 1 })
  assert.match(late, /Killed after 1 s\..*start_process.*timeout_seconds/)
})

for (const name of ['shell', 'start_process'])
  test(`${name} refuses a command that the system cannot start, and says what to do`, async () => {
    await using at = await setUpTools()
    await assert.rejects(
      at.use(name, { command: `echo ${'ä'.repeat(60_000)}` }),
      /at most 100000 bytes: write the script/,
    )
    await assert.rejects(at.use(name, { command: 'echo a\0b' }), /must not contain null characters/)
  })
