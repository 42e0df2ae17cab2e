import assert from 'node:assert/strict'
import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import {
  appendFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { Script } from 'node:vm'
import { until } from '../../harness/until.ts'

const root = fileURLToPath(new URL('../../..', import.meta.url))
const scratch = mkdtempSync(join(tmpdir(), 'signalbox-bundle-'))
after(() => rmSync(scratch, { recursive: true, force: true }))

const scriptsTaken = join(root, 'test/harness/service/cached-scripts.js')
const key = `sb-v1-${'b'.repeat(64)}`

/** A checkout whose sources can be changed, with the packages of this one. */
function checkout(name: string) {
  const folder = join(scratch, name)
  for (const part of ['bin', 'src', 'console', 'package.json', 'openapi.json'])
    cpSync(join(root, part), join(folder, part), { recursive: true })
  mkdirSync(join(folder, 'node_modules'))
  for (const entry of readdirSync(join(root, 'node_modules')))
    if (entry !== '.cache') symlinkSync(join(root, 'node_modules', entry), join(folder, 'node_modules', entry))
  const bundlesFolderPath = join(folder, 'node_modules/.cache/start')
  const bundles = () =>
    existsSync(bundlesFolderPath) ? readdirSync(bundlesFolderPath).filter((entry) => /^[0-9a-f]{32}$/.test(entry)) : []
  return { folder, bundles, inBundle: (file: string) => join(bundlesFolderPath, bundles()[0]!, file) }
}

async function start(folder: string, env: Record<string, string> = {}) {
  const child = spawn(process.execPath, ['bin/start.ts'], {
    cwd: folder,
    env: {
      PORT: '0',
      HOST: '127.0.0.1',
      DATA_DIR: join(folder, 'data'),
      DEMO_INTERN: 'false',
      CONSOLE: 'false',
      BOOTSTRAP_API_KEY: key,
      ...env,
    },
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text
    })
  const ended = once(child, 'exit')
  const url = await until(() => /^listening on (\S+)$/m.exec(output)?.[1])
  const ask = async (method: string, path: string, body?: object) => {
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
    return fetch(url + path, { method, headers, ...(body && { body: JSON.stringify(body) }) })
  }
  return {
    output: () => output,
    ask,
    models: async () =>
      (await (await fetch(`${url}/models`, { headers: { authorization: `Bearer ${key}` } })).json()) as {
        data: { id: string }[]
      },
    async [Symbol.asyncDispose]() {
      child.kill('SIGINT')
      await ended
    },
  }
}

const bundled = 'this is the bundle'
const hint = /^Starting from the sources.*npm run build/m
const logStatement = `\nprocess.stderr.write(${JSON.stringify(`{"level":30,"msg":"${bundled}"}\n`)})\n`

test('a start uses only the bundle of its sources, and builds a missing one', async () => {
  const { folder, bundles, inBundle } = checkout('one')
  {
    await using first = await start(folder)
    assert.equal((await first.models()).data[0]?.id, 'signalbox/demo')
    assert.match(first.output(), hint)
    await until(() => bundles().length === 1)
  }
  appendFileSync(inBundle('server.mjs'), logStatement)
  {
    await using second = await start(folder)
    assert.equal((await second.models()).data[0]?.id, 'signalbox/demo')
    await until(() => second.output().includes(bundled))
    assert.doesNotMatch(second.output(), hint)
  }
  appendFileSync(join(folder, 'src/platform/async/once.ts'), '\n// Changed.\n')
  await using third = await start(folder)
  await third.models()
  assert.doesNotMatch(third.output(), new RegExp(bundled))
  assert.match(third.output(), hint)
})

test('unchanged files are not read again, and a changed one is noticed at once', () => {
  const { folder, bundles } = checkout('stamp')
  const bundlesFolderPath = join(folder, 'node_modules/.cache/start')
  const source = join(folder, 'src/platform/async/once.ts')
  const written = 1_700_000_000
  utimesSync(source, written, written)
  mkdirSync(bundlesFolderPath, { recursive: true })
  writeFileSync(join(bundlesFolderPath, 'sources.json'), JSON.stringify(['src/platform/async/once.ts']))
  const script = `import { bundlesFolder, currentBundle, folderFor } from './bin/current-bundle.ts'
    import { mkdirSync, writeFileSync } from 'node:fs'
    const [way, laterMs] = process.argv.slice(1)
    if (way === 'make') mkdirSync(folderFor(['src/platform/async/once.ts'])), writeFileSync(new URL('server.mjs', folderFor(['src/platform/async/once.ts'])), '')
    else console.log(currentBundle(Date.now() + Number(laterMs))?.href.slice(bundlesFolder.href.length) ?? 'none')`
  const run = (...args: string[]) =>
    spawnSync(process.execPath, ['--input-type=module', '-e', script, ...args], {
      cwd: folder,
      encoding: 'utf8',
    }).stdout.trim()
  const hourMs = 3_600_000
  run('make')
  const [name] = bundles()
  const stamp = join(bundlesFolderPath, 'stamp.json')
  // As just after a change: its time can be that of a further one.
  assert.equal(run('look', '-3600000'), `${name}/`)
  assert.equal(existsSync(stamp), false)
  assert.equal(run('look', String(hourMs)), `${name}/`)
  const stamped = JSON.parse(readFileSync(stamp, 'utf8'))
  assert.equal(stamped.name, name)
  // Reading the files finds the true name.
  const other = 'a'.repeat(32)
  cpSync(join(bundlesFolderPath, name!), join(bundlesFolderPath, other), { recursive: true })
  writeFileSync(stamp, JSON.stringify({ ...stamped, name: other }))
  assert.equal(run('look', '0'), `${other}/`)
  // The same size, and the same time of writing.
  const text = readFileSync(source, 'utf8')
  writeFileSync(source, text.replace('once', 'ONCE'))
  utimesSync(source, written, written)
  assert.equal(run('look', '0'), 'none')
  writeFileSync(source, text)
  writeFileSync(stamp, '{"st')
  assert.equal(run('look', String(hourMs)), `${name}/`)
  assert.equal(JSON.parse(readFileSync(stamp, 'utf8')).name, name)
})

test('the V8 cache of a start is used by the next, unless it is damaged', async () => {
  const { folder, inBundle } = checkout('compiled')
  const { status, stderr } = spawnSync(process.execPath, ['bin/bundle.ts'], { cwd: folder, encoding: 'utf8' })
  assert.equal(status, 0, stderr)
  const compiled = inBundle('server.compiled')
  const startUntil = async (isKept: () => boolean) => {
    await using service = await start(folder, { NODE_OPTIONS: `--import=${JSON.stringify(scriptsTaken)}` })
    assert.equal((await service.models()).data[0]?.id, 'signalbox/demo')
    await until(isKept)
    return /^script: (.*)$/m.exec(service.output())?.[1]
  }
  assert.equal(await startUntil(() => existsSync(compiled)), 'compiled')
  const whole = readFileSync(compiled)
  const beforeAnyCall = new Script(readFileSync(inBundle('service.cjs'), 'utf8')).createCachedData()
  assert.ok(whole.length > 2 * beforeAnyCall.length, `${whole.length}, ${beforeAnyCall.length}`)
  assert.equal(await startUntil(() => true), 'taken')
  const middle = whole.length >> 1
  const damaged = Buffer.from(whole.with(middle, 255 - whole[middle]!))
  writeFileSync(compiled, damaged)
  assert.equal(await startUntil(() => !readFileSync(compiled).equals(damaged)), 'compiled')
})

test('workers of a bundled service are bundled, too', async () => {
  const { folder, inBundle } = checkout('workers')
  const { status, stderr } = spawnSync(process.execPath, ['bin/bundle.ts'], { cwd: folder, encoding: 'utf8' })
  assert.equal(status, 0, stderr)
  appendFileSync(inBundle('worker.mjs'), logStatement)
  await using service = await start(folder, { WORKERS: '2', LOG_FORMAT: 'json' })
  await until(() => service.output().split(bundled).length === 3)
  assert.equal((await service.models()).data[0]?.id, 'signalbox/demo')
})

test('interns of a bundled service are bundled, too, for whichever user they run as', async () => {
  const { folder, inBundle } = checkout('interns')
  const bundle = spawnSync('sh', ['-c', `umask 077 && exec "$0" bin/bundle.ts`, process.execPath], { cwd: folder })
  assert.equal(bundle.status, 0, String(bundle.stderr))
  for (const name of ['', 'daemon.mjs', 'agent.mjs', 'files.mjs'])
    assert.equal(statSync(inBundle(join('interns', name))).mode & 0o044, 0o044, name)
  // Only tests use this folder.
  await using service = await start(folder, { INTERN_USERS_FROM: '0' })
  const { id } = (await (await service.ask('POST', '/interns', { name: 'ada', provision: true })).json()) as {
    id: string
  }
  const intern = async () => (await (await service.ask('GET', `/interns/${id}`)).json()) as { status: string }
  await until(async () => (await intern()).status === 'running')
  const prompt = { messages: [{ role: 'user', content: 'hello' }], stream: false }
  const reply = await service.ask('POST', `/interns/${id}/sessions/one/chat/completions`, prompt)
  assert.match(await reply.text(), /You said: hello/)
  const run = execFileSync('ps', ['-eo', 'args'], { encoding: 'utf8' })
  for (const name of ['daemon.mjs', 'agent.mjs']) assert.ok(run.includes(inBundle(join('interns', name))), run)
  assert.equal((await service.ask('POST', `/interns/${id}/suspend`)).status, 200)
  const files = await service.ask('GET', `/interns/${id}/files`)
  assert.equal(files.status, 200, await files.text())
})
