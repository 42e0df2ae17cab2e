import assert from 'node:assert/strict'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { ImageBuilder, imageTools, limits, podman, run } from '../harness/cluster/image.ts'
import { freePort } from '../harness/service/free-port.ts'
import { until } from '../harness/until.ts'

const tools = [...imageTools, 'catatonit']
const has = (tool: string) => ['/usr/bin', '/usr/sbin', '/sbin'].some((folder) => existsSync(join(folder, tool)))
const skip =
  process.env.TEST_IMAGE && process.getuid?.() === 0 && tools.every(has)
    ? false
    : `builds images: "npm run test:image" as root, with ${tools.join(', ')}`

describe('the image', { skip, concurrency: 1 }, () => {
  const folder = mkdtempSync(join(tmpdir(), 'signalbox-image-'))
  const builder = new ImageBuilder(folder, `signalbox-test-${process.pid}`)
  const name = (what: string) => builder.name(what)
  const containers: string[] = []

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

  before(() => builder.makeBases())
  after(() => {
    for (const id of containers) podman('rm', '-f', '-t', '0', id)
    builder.remove('a', 'b')
    run('sh', ['-c', `podman volume rm -f ${name('data').split('/')[1]} >/dev/null`])
    rmSync(folder, { recursive: true })
  })

  test('it is built twice without a network, and is the same image', () => {
    const sources = builder.makeSources()
    const first = builder.build('a', sources)
    assert.equal(builder.build('b', sources), first)
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

  test('the image runs without root and capabilities, read-only, and keeps its data', async () => {
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
