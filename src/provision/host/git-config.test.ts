import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { createGitConfig } from './git-config.ts'

/** The author of a commit with this configuration, after some git commands. */
function authorWith(config: string, ...commands: string[][]): string {
  const folder = mkdtempSync(join(tmpdir(), 'signalbox-git-'))
  try {
    const file = join(folder, 'gitconfig')
    writeFileSync(file, config)
    const env = { PATH: process.env.PATH, HOME: folder, GIT_CONFIG_SYSTEM: file }
    const git = (...args: string[]) => execFileSync('git', args, { cwd: folder, env, encoding: 'utf8', stdio: 'pipe' })
    git('init', '-q')
    for (const command of commands) git(...command)
    git('commit', '-q', '--allow-empty', '-m', 'made')
    return git('log', '-1', '--format=%an <%ae> %cn').trim()
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
const ada = { name: 'ada on behalf of Grace', email: 'grace@example.com' }

test('a commit has the default author if no author is configured', () =>
  assert.equal(authorWith(createGitConfig(ada)), `${ada.name} <${ada.email}> ${ada.name}`))

test('the author in a repository’s configuration takes precedence', () =>
  assert.match(authorWith(createGitConfig(ada), ['config', 'user.name', 'Own']), /^Own <grace@example\.com> Own$/))

test('a name with any characters is one value of the configuration', () => {
  const name = 'x" # ; \\ [core]\n\teditor = true'
  assert.equal(authorWith(createGitConfig({ ...ada, name })).split(' <')[0], 'x" # ; \\ [core] editor = true')
})
