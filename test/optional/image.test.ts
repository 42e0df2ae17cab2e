import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { freePort } from '../harness/free-port.ts'
import { until } from '../harness/until.ts'

const tools = ['podman', 'runc', 'catatonit', 'debootstrap']
const has = (tool: string) => ['/usr/bin', '/usr/sbin', '/sbin'].some((folder) => existsSync(join(folder, tool)))
const skip =
  process.env.TEST_IMAGE && process.getuid?.() === 0 && tools.every(has)
    ? false
    : `builds images: "npm run test:image" as root, with ${tools.join(', ')}`

const root = fileURLToPath(new URL('../..', import.meta.url))
const run = (command: string, args: string[], cwd = root) =>
  execFileSync(command, args, { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'], maxBuffer: 1e8 }).trim()
/** Limits that also somebody may set who may not raise any. */
const limits = ['--ulimit', 'nofile=4096:4096', '--ulimit', 'nproc=4096:4096']
const podman = (...args: string[]) => run('podman', ['--runtime', 'runc', ...args])

describe('the image', { skip, concurrency: 1 }, () => {
  const folder = mkdtempSync(join(tmpdir(), 'signalbox-image-'))
  const name = (what: string) => `localhost/signalbox-test-${process.pid}-${what}`
  const containers: string[] = []

  /** Debian as it is installed, and the same with npm: no registry of images is asked. */
  function makeBases(): void {
    const system = join(folder, 'system')
    run('debootstrap', ['--variant=minbase', '--include=ca-certificates,git,libatomic1', 'bookworm', system])
    run('sh', ['-c', `tar -C ${system} -c . | podman import - ${name('base')}`])
    const npm = join(folder, 'npm')
    for (const part of ['usr/local/bin', 'usr/lib/node_modules']) mkdirSync(join(npm, part), { recursive: true })
    cpSync(join(run('npm', ['root', '-g']), 'npm'), join(npm, 'usr/lib/node_modules/npm'), { recursive: true })
    cpSync(process.execPath, join(npm, 'usr/local/bin/node'))
    symlinkSync('/usr/lib/node_modules/npm/bin/npm-cli.js', join(npm, 'usr/local/bin/npm'))
    writeFileSync(join(folder, 'npm.containerfile'), `FROM ${name('base')}\nCOPY . /\n`)
    podman('build', '-q', '-t', name('npm'), '-f', join(folder, 'npm.containerfile'), npm)
  }

  /** What is committed, and npm's cache with what its lock file names. */
  function makeSources(): { sources: string; cache: string } {
    const [sources, cache] = [join(folder, 'sources'), join(folder, 'cache')]
    mkdirSync(sources)
    run('sh', ['-c', `git archive HEAD | tar -x -C ${sources}`])
    run('npm', ['ci', '--omit=dev', '--no-audit', '--no-fund', '--cache', cache], sources)
    rmSync(join(sources, 'node_modules'), { recursive: true })
    writeFileSync(join(folder, 'npmrc'), `registry=${run('npm', ['config', 'get', 'registry'])}\ncache=/cache\n`)
    return { sources, cache }
  }

  function build(tag: string, { sources, cache }: { sources: string; cache: string }): string {
    const bases = ['--build-arg', `NPM_IMAGE=${name('npm')}`, '--build-arg', `BASE_IMAGE=${name('base')}`]
    const npm = ['-v', `${cache}:/cache:O`, '--secret', `id=npmrc,src=${join(folder, 'npmrc')}`]
    const args = ['-q', '--no-cache', '--network', 'none', '--timestamp', '0', ...limits, ...bases, ...npm]
    podman('build', ...args, '-t', name(tag), sources)
    return podman('inspect', name(tag), '--format', '{{.Id}}')
  }

  /** As little as it needs: no root, no capability, nothing to be written but its data. */
  function start(port: number): string {
    const least = [
      '--read-only',
      '--tmpfs',
      '/tmp',
      '--cap-drop',
      'all',
      '--security-opt',
      'no-new-privileges',
      '--init',
    ]
    const volume = ['-v', `${name('data').split('/')[1]}:/data`]
    const env = ['-e', `PORT=${port}`, '-e', 'HOST=127.0.0.1']
    const id = podman('run', '-d', '--network', 'host', ...limits, ...least, ...volume, ...env, name('a'))
    containers.push(id)
    return id
  }
  const logs = (id: string) => run('sh', ['-c', `podman logs ${id} 2>&1`])
  const listening = (id: string) => until(() => logs(id).includes('listening on'))

  before(makeBases)
  after(() => {
    for (const id of containers) podman('rm', '-f', '-t', '0', id)
    for (const what of ['a', 'b', 'npm', 'base'])
      run('sh', ['-c', `podman rmi -f ${name(what)} >/dev/null 2>&1 || true`])
    run('sh', ['-c', `podman volume rm -f ${name('data').split('/')[1]} >/dev/null`])
    rmSync(folder, { recursive: true })
  })

  test('it is built twice without a network, and is the same image', () => {
    const sources = makeSources()
    const first = build('a', sources)
    assert.equal(build('b', sources), first)
    const files = podman('run', '--rm', ...limits, '--network', 'none', '--entrypoint', 'ls', name('a'), '/signalbox')
    assert.deepEqual(files.split('\n').sort(), [
      'LICENSE',
      'bin',
      'console',
      'node_modules',
      'ops',
      'package-lock.json',
      'package.json',
      'src',
      'tsconfig.json',
    ])
    const megabytes = (tag: string) => Number(podman('image', 'inspect', name(tag), '--format', '{{.Size}}')) / 1e6
    console.log(`${Math.round(megabytes('a') - megabytes('base'))} MB beside what it is based on`)
  })

  test('it runs without root, without capabilities and with a root that is read only, and keeps its data', async () => {
    const port = await freePort()
    const id = start(port)
    await listening(id)
    const [managementKey, apiKey] = logs(id).match(/sb-v1-[0-9a-f]{64}/g) ?? []
    assert.ok(managementKey && apiKey)
    assert.match(podman('exec', id, 'id'), /^uid=10001/)
    assert.throws(() => podman('exec', id, 'touch', '/signalbox/x'), /Read-only file system/)
    const ask = async () => {
      const response = await fetch(`http://127.0.0.1:${port}/api/v1/chat/completions`, {
        method: 'POST',
        headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
        body: JSON.stringify({ model: 'signalbox/demo', messages: [{ role: 'user', content: 'Hi' }] }),
      })
      return response.status
    }
    assert.equal(await ask(), 200)
    assert.equal((await fetch(`http://127.0.0.1:${port}/`)).status, 200)
    podman('stop', '-t', '60', id)
    assert.equal(podman('inspect', id, '--format', '{{.State.ExitCode}}'), '0')
    const next = start(port)
    await listening(next)
    assert.equal(await ask(), 200)
    assert.doesNotMatch(logs(next), /This is the first start/)
  })
})
