import assert from 'node:assert/strict'
import { rename, symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { openConfined } from '#platform/files/confined-folder.ts'
import { setUpTools } from '#test/harness/interns/tools.ts'
import { compileSearchPattern, requiredLiterals } from './search-pattern.ts'
import { openWalk } from './walk.ts'

const needles = (paths: string[]) => Object.fromEntries(paths.map((path) => [path, 'needle']))
const search = async (files: Record<string, string>, input: object = {}) => {
  await using at = await setUpTools(files)
  return await at.use('search', { pattern: 'needle', ...input })
}
const pathsIn = (found: string) => found.split('\n').flatMap((line) => /^(.*):1: needle$/.exec(line)?.[1] ?? [])

const rules = `# build output
/dist
venv/
*.log
!keep/logs/*.log
build
docs/**
!docs/x
a/**/c
\\#odd
te?t.txt
[0-9]*.tmp
!.github
trailing  \u0020
foo/*/bar
`
test('search skips the files that ripgrep skips', async () => {
  const searched = ['.github/wf.yml', 'a/b/1', 'a1.tmp', 'foo/bar/z', 'keep/logs/k.log', 'keep/venv', 'rescued.log']
  searched.push('src/app.log', 'src/main.ts', 'sub/dist', 'sub/out/x.log', 'sub/y.ts', 'tet.txt')
  const skipped = ['dist/x/1', 'src/deep/build/o.js', 'src/deep/deep-only', 'src/deep-only', 'app.log', 'venv/lib/v.py']
  skipped.push('only.ignored', 'a/b/c/1', 'a/c/1', '.env', '.cfg/c', 'docs/1', 'docs/x/2', 'docs/x/y/3', '#odd')
  skipped.push('text.txt', '1a.tmp', 'trailing', 'foo/q/bar', 'named-in-exclude')
  const found = await search({
    ...needles([...searched, ...skipped]),
    '.gitignore': rules,
    '.ignore': 'only.ignored\n!rescued.log\n',
    'src/.gitignore': 'deep-only\n!app.log\n',
    '.git/info/exclude': 'named-in-exclude',
    'sub/.git/HEAD': '',
    binary: 'needle\0',
  })
  assert.deepEqual(pathsIn(found), searched)
  assert.match(found, /\[not searched: 18 ignored \(#odd, 1a\.tmp, .* and 13 more\), 5 hidden \(\.cfg\/, \.env, /)
})

test('search finds src/ behind thousands of ignored matches', async () => {
  const lines = 'needle\n'.repeat(500)
  const found = await search({ '.gitignore': 'dist/', 'dist/a.js': lines, 'src/z.ts': 'needle' })
  assert.equal(
    found,
    'src/z.ts:1: needle\n[not searched: 1 ignored (dist/), 1 hidden (.gitignore); include_ignored searches them]',
  )
})

test('search reads ignored and hidden files on request', async () => {
  const files = { '.gitignore': 'dist/\n*.log', ...needles(['dist/a', 'dist/deep/b.log', '.env', '.git/config']) }
  assert.deepEqual(pathsIn(await search(files, { include_ignored: true })), ['.env', 'dist/a', 'dist/deep/b.log'])
  assert.deepEqual(pathsIn(await search(files, { path: 'dist' })), ['dist/a', 'dist/deep/b.log'])
  assert.deepEqual(pathsIn(await search(files, { path: 'dist/deep/b.log' })), ['dist/deep/b.log'])
})

test('a glob is relative to the workspace, also below an absolute path', async () => {
  await using at = await setUpTools(needles(['src/a.ts', 'src/deep/b.ts', 'src/c.js', 'lib/d.ts']))
  const path = join(at.path, 'src')
  const found = await at.use('search', { pattern: 'needle', path, glob: 'src/**/*.ts' })
  assert.deepEqual(pathsIn(found), ['src/a.ts', 'src/deep/b.ts'])
  assert.equal(await at.use('list_files', { path, pattern: './src/*.js' }), 'src/c.js')
})

test('an ignore file can start with a byte order mark', async () => {
  const found = await search({ ...needles(['dist/a', 'src/a']), '.gitignore': '\ufeffdist/\n' })
  assert.deepEqual(pathsIn(found), ['src/a'])
})

test('search follows no link', async () => {
  await using at = await setUpTools({ 'a/b': 'needle' })
  await symlink(join(at.path, 'a'), join(at.path, 'link'))
  await symlink('/etc', join(at.path, 'etc'))
  assert.equal(await at.use('search', { pattern: 'needle' }), 'a/b:1: needle')
  assert.equal(await at.use('search', { pattern: 'needle', path: 'link' }), 'link/b:1: needle')
  await assert.rejects(at.use('search', { pattern: 'root', path: 'etc' }), /outside the workspace/)
})

test('a folder that becomes a link during a walk is not entered', async () => {
  await using at = await setUpTools({ 'a/b': '', 'c/d': '' })
  const seen: string[] = []
  for (const { path } of await openWalk(await openConfined(at.path), '.', { maxDepth: 9 })) {
    seen.push(path)
    if (path !== 'a') continue
    await rename(join(at.path, 'a'), join(at.path, '.moved'))
    await symlink('/etc', join(at.path, 'a'))
  }
  assert.deepEqual(seen, ['a', 'c', 'c/d'])
})

test('an ignore file with many stars does not hold up a search', { timeout: 600_000 }, async () => {
  const name = 'a'.repeat(200)
  const found = await search({ '.gitignore': `${'*a'.repeat(60)}*b\n${'**/a*/'.repeat(40)}c\n`, ...needles([name]) })
  assert.deepEqual(pathsIn(found), [name])
})

test('list_files does not open ignored folders, unless they are named', async () => {
  await using at = await setUpTools({ '.gitignore': 'dist/', 'dist/a.js': '', 'src/b.js': '' })
  assert.equal(await at.use('list_files', { pattern: '*.js' }), 'src/b.js')
  assert.match(await at.use('list_files', {}), /^dist\/ \(not opened\)$/m)
  assert.equal(await at.use('list_files', { path: 'dist' }), 'dist/a.js')
})

const literals: [pattern: string, expected: string[] | undefined][] = [
  ['function\\s+(\\w+)', ['function']],
  ['import .* from', ['import ']],
  ['foo\\.bar+z', ['foo.bar']],
  ['colou?r', ['colo']],
  ['needle{2,3}s', ['needl']],
  ['(?:foo|bar)bazz', ['bazz']],
  ['one|t[wv]o|three', undefined],
  ['one|[tT]woo|three', ['one', 'woo', 'three']],
  ['(?i)foo', undefined],
  ['(?P<name>x+)yz', ['yz']],
  ['\\x66oo', undefined],
  ['\\Qa+\\Eb', undefined],
  ['[]ab]cd[[:alpha:]]', ['cd']],
  ['\\w+', undefined],
]
for (const [pattern, expected] of literals)
  test(`a match of ${pattern} requires ${expected?.join(' or ') ?? 'nothing'}`, () =>
    assert.deepEqual(requiredLiterals(pattern), expected))

test('no file that has a matching line is excluded before its lines are read', async () => {
  const texts = ['function  x', 'FUNCTION x', 'import a from b', 'colr', 'colour', 'needlee', 'fooſ', 'FOOS', 'two']
  for (const ignoreCase of [true, false])
    for (const pattern of [...literals.map(([each]) => each), 'foos', 'foo[s]', 'Col+ou?r'])
      for (const text of texts) {
        const { canMatch, matches } = await compileSearchPattern(pattern, ignoreCase)
        if (matches(text)) assert.ok(canMatch(Buffer.from(text)), `${pattern} in ${text}`)
      }
})

test('the end of a line matches before a line end of Windows', async () => {
  assert.equal(await search({ 'a.txt': 'one\r\nneedle\r\n' }, { pattern: 'needle$' }), 'a.txt:2: needle')
})
