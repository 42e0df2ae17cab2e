import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { getPriority, setPriority } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { gunzipSync } from 'node:zlib'
import { createFilesClient, createTar, type FileResponse, workspaceOf } from '../harness/interns/intern-files.ts'
import { runningIntern } from '../harness/interns/interns.ts'
import { killAfterTests } from '../harness/service/leftovers.ts'
import { startTestService } from '../harness/service/service.ts'

const swapper = fileURLToPath(new URL('../harness/interns/link-swapper.ts', import.meta.url))
const secret = 'what nobody may see'
/** The calls of each of eight clients. `npm run test:long` makes more. */
const rounds = Number(process.env.FILES_ATTACK_ROUNDS ?? 20)

/** An intern that runs as the user of the service, and a folder that it must not reach. */
async function setUp() {
  const service = await startTestService({ settings: { intern_users_from: 0 } })
  const { id } = await runningIntern(service)
  const outside = join(service.testStore.settings.data_dir, 'outside')
  mkdirSync(join(outside, 'deep'), { recursive: true })
  for (const name of ['secret', 'deep/secret', 'made-before']) writeFileSync(join(outside, name), secret)
  const state = () => readdirSync(outside, { recursive: true }).map((name) => errorFor(join(outside, name.toString())))
  return { service, ask: createFilesClient(service, id), workspace: workspaceOf(service, id), outside, state }
}

const errorFor = (path: string) => {
  const found = statSync(path)
  return `${path} ${found.mode} ${found.isFile() ? readFileSync(path, 'utf8') : ''}`
}

/** The body of an answer; unzipped if it is an archive. */
const textOf = ({ bytes, headers }: FileResponse) =>
  headers.get('content-type') === 'application/gzip' ? gunzipSync(bytes).toString() : bytes.toString()

test('swapped links never expose or change files outside the workspace', async () => {
  const { service, ask, workspace, outside, state } = await setUp()
  await using _ = service
  const before = state()
  const attacker = spawn(process.execPath, [swapper, workspace, outside], { stdio: ['ignore', 'pipe', 'inherit'] })
  killAfterTests(attacker)
  // As the agent of an intern: with a higher priority than the daemon, it would take both cores from it.
  setPriority(attacker.pid!, Math.min(getPriority() + 5, 19))
  const exited = once(attacker, 'exit')
  await once(attacker.stdout, 'data')
  const archive = createTar((folder) => {
    mkdirSync(join(folder, 'sub/deep'), { recursive: true })
    for (const name of ['sub/one', 'sub/deep/two', 'three']) writeFileSync(join(folder, name), 'unpacked')
  })
  const calls: (() => Promise<FileResponse>)[] = [
    () => ask('GET', '', { path: 'd' }),
    () => ask('GET', 'content', { path: 'd/secret' }),
    () => ask('GET', 'content', { path: 'd/deep/secret' }),
    () => ask('GET', 'content', { path: 'f' }),
    () => ask('PUT', 'content', { path: 'd/written' }, { body: 'written' }),
    () => ask('PUT', 'content', { path: 'd/secret' }, { body: 'written' }),
    () => ask('PUT', 'content', { path: 'f' }, { body: 'written' }),
    () => ask('DELETE', '', { path: 'd/secret' }),
    () => ask('DELETE', '', { path: 'e', recursive: 'true' }),
    () => ask('POST', 'folders', {}, { body: { path: 'd/made/here' } }),
    () => ask('POST', 'rename', {}, { body: { from: 'd/secret', to: 'moved', replace: true } }),
    () => ask('GET', 'archive'),
    () => ask('PUT', 'archive', { path: 'd' }, { body: archive }),
  ]
  let done = 0
  const attempts = Array.from({ length: 8 }, async (_, from) => {
    for (let round = 0; round < rounds; round++) {
      const response = await calls[(from + round) % calls.length]!().catch(() => undefined)
      if (!response) continue
      assert.ok(response.status < 500 || response.status === 502, `${response.status} ${response.bytes}`)
      if (response.status === 200) done += 1
      // A truncated archive does not count as an answer.
      assert.ok(!textOf(response).includes(secret), `call ${(from + round) % calls.length} revealed it`)
    }
  })
  try {
    await Promise.all(attempts)
    assert.equal(attacker.exitCode, null, 'it was attacked all the time')
  } finally {
    attacker.kill('SIGKILL')
    await exited
  }
  assert.deepEqual(state(), before)
  assert.ok(done > 30, `only ${done} calls did something`)
})

test('no link, pipe, socket or parent path leaves the workspace', async () => {
  const { service, ask, workspace, outside } = await setUp()
  await using _ = service
  const { link, symlink } = await import('node:fs/promises')
  await symlink(outside, join(workspace, 'folder'))
  await symlink(join(outside, 'secret'), join(workspace, 'file'))
  await symlink('folder/deep', join(workspace, 'chain'))
  await symlink(join(outside, 'new'), join(workspace, 'nothing'))
  await link(join(outside, 'secret'), join(workspace, 'hard'))
  const pipe = createServer().listen(join(workspace, 'socket'))
  const status = async (...call: Parameters<typeof ask>) => (await ask(...call)).status
  for (const path of ['file', 'folder/secret', 'chain/secret', 'nothing', 'hard']) {
    assert.deepEqual([path, await status('GET', 'content', { path })], [path, 403])
  }
  assert.equal(await status('GET', 'content', { path: 'socket' }), 400)
  for (const path of ['file', 'folder/new', 'chain/new', 'nothing']) {
    assert.deepEqual([path, await status('PUT', 'content', { path }, { body: 'x' })], [path, 403])
  }
  assert.equal(await status('GET', '', { path: 'folder' }), 403)
  assert.equal(await status('GET', 'archive', { path: 'folder' }), 403)
  assert.equal(await status('DELETE', '', { path: 'folder/secret' }), 403)
  assert.equal(await status('POST', 'rename', {}, { body: { from: 'folder/secret', to: 'mine' } }), 403)
  assert.equal(await status('POST', 'folders', {}, { body: { path: 'folder/new' } }), 403)
  assert.ok(!gunzipSync((await ask('GET', 'archive')).bytes).includes(secret))
  // A file with a second hard link is replaced; the other name keeps its content.
  assert.equal(await status('PUT', 'content', { path: 'hard' }, { body: 'x' }), 200)
  for (const path of ['folder', 'file', 'chain', 'hard']) {
    assert.deepEqual([path, await status('DELETE', '', { path, recursive: 'true' })], [path, 200])
  }
  pipe.close()
  assert.deepEqual(readdirSync(outside).sort(), ['deep', 'made-before', 'secret'])
  assert.equal(readFileSync(join(outside, 'secret'), 'utf8'), secret)
})
