import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { hasGit, startGitServer } from '#test/harness/interns/git-server.ts'
import { runGit } from './git.ts'

const skip = hasGit ? false : 'git is not installed'
const signal = new AbortController().signal

/** The ref that git requests from a server with the settings of a clone. */
async function refsOf(url: string, settings: [string, string][] = [], transports = ['http']): Promise<string> {
  const cwd = mkdtempSync(join(tmpdir(), 'signalbox-run-git-'))
  const args = ['ls-remote', '--', url]
  return runGit({ path: process.env.PATH ?? '', args, cwd, settings, transports, mark: 'test', signal }).finally(() =>
    rmSync(cwd, { recursive: true }),
  )
}

test('git connects to the address that was checked, not to a later look-up', { skip }, async () => {
  await using git = await startGitServer({ 'README.md': 'Widgets.' })
  const { port, pathname } = new URL(git.url)
  const settings: [string, string][] = [['http.curloptResolve', `git.example.invalid:${port}:127.0.0.1`]]
  assert.match(await refsOf(`http://git.example.invalid:${port}${pathname}`, settings), /refs\/heads\/main/)
})

test('git uses only the given transports, by default none', { skip }, async () => {
  await using git = await startGitServer({ 'README.md': 'Widgets.' })
  for (const url of [git.bare, `file://${git.bare}`, 'ext::sh -c id', git.url])
    await assert.rejects(refsOf(url, [], []), /transport '\w+' not allowed/)
  await assert.rejects(refsOf(`file://${git.bare}`), /transport 'file' not allowed/)
})

test('git does not fetch objects from another server', { skip }, async () => {
  await using other = await startGitServer({})
  await using git = await startGitServer({})
  const commit = '1'.repeat(40)
  git.around.respond = ({ url = '' }, response) => {
    const dumb = {
      '/info/refs': `${commit}\trefs/heads/main\n`,
      '/objects/info/http-alternates': `${other.url}/objects\n`,
    }
    const found = Object.entries(dumb).find(([path]) => url.includes(path))?.[1]
    response
      .writeHead(found && !url.includes('git-upload-pack=x') ? 200 : 404, { 'content-type': 'text/plain' })
      .end(found)
    return true
  }
  const cwd = mkdtempSync(join(tmpdir(), 'signalbox-run-git-'))
  const args = ['clone', '--quiet', '--', git.url, 'clone']
  await assert.rejects(runGit({ path: process.env.PATH ?? '', args, cwd, transports: ['http'], mark: 'test', signal }))
  rmSync(cwd, { recursive: true })
  assert.ok(git.seen.some(({ path }) => path.includes('http-alternates')))
  assert.deepEqual(other.seen, [])
})
