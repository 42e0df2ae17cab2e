import assert from 'node:assert/strict'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { workspaceOf } from '#test/harness/interns/intern-files.ts'
import { runningIntern } from '#test/harness/interns/interns.ts'
import { startTestService, type TestService } from '#test/harness/service/service.ts'
import { runCli } from '../../cli.ts'

async function setUp() {
  const service = await startTestService()
  const { id } = await runningIntern(service)
  const here = mkdtempSync(join(tmpdir(), 'signalbox-cli-'))
  return {
    service,
    here,
    id,
    run: (...args: string[]) => run(service, 'interns', 'files', ...args),
    [Symbol.asyncDispose]: async () => {
      rmSync(here, { recursive: true })
      await service.stop()
    },
  }
}

async function run({ url, apiKey }: TestService, ...args: string[]) {
  const out: string[] = []
  const err: string[] = []
  const env = { SIGNALBOX_URL: url, SIGNALBOX_KEY: apiKey }
  const code = await runCli(args, { env, out: (text) => void out.push(text), err: (text) => void err.push(text) })
  return { code, out: out.join('\n'), err: err.join('\n') }
}

test('files are uploaded, listed, moved, downloaded and deleted', async () => {
  await using at = await setUp()
  const { run, here } = at
  writeFileSync(join(here, 'notes.txt'), 'Hello')
  assert.equal(
    (await run('put', 'ada', join(here, 'notes.txt'), 'docs/')).out,
    'Wrote docs/notes.txt in the workspace of "ada".',
  )
  assert.equal((await run('mkdir', 'ada', 'docs/old')).code, 0)
  assert.match((await run('ls', 'ada', 'docs')).out, /^5 +\S+ \S+ +notes\.txt\n- +\S+ \S+ +old\/$/m)
  assert.equal((await run('mv', 'ada', 'docs/notes.txt', 'docs/old/n.txt')).code, 0)
  assert.equal((await run('get', 'ada', 'docs/old/n.txt', join(here, 'back.txt'))).code, 0)
  assert.equal(readFileSync(join(here, 'back.txt'), 'utf8'), 'Hello')
  assert.match((await run('rm', 'ada', 'docs')).err, /409.*not empty/)
  assert.equal((await run('rm', 'ada', 'docs', '-r')).out, 'Deleted docs.')
  assert.match((await run('get', 'ada', 'docs')).err, /404.*does not exist/)
  const none = await run('put', 'ada', join(here, 'none.txt'))
  assert.match(none.err, /^\S+none\.txt cannot be read: it does not exist\.$/)
  assert.deepEqual(readdirSync(here).sort(), ['back.txt', 'notes.txt'])
})

test('push and pull copy a folder, and report skipped files', async () => {
  await using at = await setUp()
  const { run, here, service, id } = at
  mkdirSync(join(here, 'from/deep'), { recursive: true })
  writeFileSync(join(here, 'from/deep/f'), 'Hello')
  symlinkSync('/etc/passwd', join(here, 'from/out'))
  const pushed = await run('push', 'ada', join(here, 'from'), 'in')
  assert.match(pushed.out, /^Wrote 1 files \(5 bytes\) to in of "ada"\.$/)
  assert.match(pushed.err, /out: is a link that leads out/)
  symlinkSync('/etc/passwd', join(workspaceOf(service, id), 'in/evil'))
  const pulled = await run('pull', 'ada', 'in', join(here, 'to'))
  assert.match(pulled.out, /^Wrote 2 files/)
  assert.match(pulled.err, /evil: is a link that leads out/)
  assert.deepEqual(readdirSync(join(here, 'to')), ['deep'])
  assert.match((await run('pull', 'ada', 'in', join(here, 'to'))).err, /is not empty.*--merge/)
  const merged = await run('pull', 'ada', 'in', join(here, 'to'), '--merge')
  assert.equal(merged.code, 0, merged.err)
})

test('a failed pull creates no folder, a failed get deletes no file of another one', async () => {
  await using at = await setUp()
  const { run, here } = at
  assert.match((await run('pull', 'ada', 'none', join(here, 'new/to'))).err, /404.*does not exist/)
  writeFileSync(join(here, 'a.part'), 'Half')
  assert.match((await run('get', 'ada', 'a', join(here, 'a'))).err, /^Cannot write .*a\.part exists\. Another download/)
  assert.match((await run('get', 'ada', 'a', join(here, 'b'))).err, /404.*does not exist/)
  assert.deepEqual(readdirSync(here), ['a.part'])
})

test('a pull whose archive breaks off leaves no folder', async () => {
  const archive = gzipSync('x'.repeat(2000)).subarray(0, 10)
  const server = createServer((_, response) => response.end(archive)).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const here = mkdtempSync(join(tmpdir(), 'signalbox-cli-'))
  try {
    const { port } = server.address() as AddressInfo
    const service = { url: `http://127.0.0.1:${port}`, apiKey: 'k' } as TestService
    const pulled = await run(service, 'interns', 'files', 'pull', 'ada', 'in', join(here, 'new/to'))
    assert.match(pulled.err, /archive|not copied/)
    assert.deepEqual(readdirSync(here), [])
  } finally {
    server.close()
    rmSync(here, { recursive: true })
  }
})

test('pull prints no control characters from a file of the intern', async () => {
  await using at = await setUp()
  const { run, here, service, id } = at
  const workspace = workspaceOf(service, id)
  mkdirSync(join(workspace, 'in'))
  writeFileSync(join(workspace, 'in/SIGNALBOX-LEFT-OUT.txt'), 'Nothing\x1b]0;evil\x07\x9b2J\u202e')
  const { err } = await run('pull', 'ada', 'in', join(here, 'to'))
  assert.match(err, /^Nothing\\x1b\]0;evil\\x07\\x9b2J\\u202e$/)
})
