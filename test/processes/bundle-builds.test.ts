import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import {
  cpSync,
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
import { test } from 'node:test'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { runScript } from '../../bin/run-script.ts'
import { sourceChanges } from '../../bin/source-changes.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))

function scratch() {
  const folder = mkdtempSync(join(tmpdir(), 'signalbox-making-'))
  return { folder, [Symbol.dispose]: () => rmSync(folder, { recursive: true }) }
}

/** A checkout of hardly anything, in which a bundle is made. */
function smallCheckout() {
  const { folder, ...disposable } = scratch()
  for (const name of ['bin/bundle.ts', 'bin/current-bundle.ts', 'bin/source-changes.ts', 'package.json'])
    cpSync(join(root, name), join(folder, name))
  for (const name of ['service', 'daemon', 'agent', 'files'])
    writeFileSync(join(folder, `bin/${name}.ts`), 'export {}\n')
  const bundlesPath = join(folder, 'node_modules/.cache/start')
  mkdirSync(bundlesPath, { recursive: true })
  for (const entry of ['.package-lock.json', 'esbuild', '@esbuild'])
    symlinkSync(join(root, 'node_modules', entry), join(folder, 'node_modules', entry))
  return {
    ...disposable,
    folder,
    bundlesPath,
    bundle: (...options: string[]) => {
      const { status, stderr } = spawnSync(process.execPath, [...options, 'bin/bundle.ts'], { cwd: folder })
      assert.equal(status, 0, String(stderr))
      return readdirSync(bundlesPath)
    },
  }
}

test('a bundle is not stored if a source changed meanwhile', () => {
  using at = smallCheckout()
  const changing = join(at.folder, 'changing.mjs')
  writeFileSync(
    changing,
    `import fs from 'node:fs'
    import { syncBuiltinESMExports } from 'node:module'
    const read = fs.readFileSync
    fs.readFileSync = (path, ...how) => {
      const text = read(path, ...how)
      if (/service\\.ts$/.test(path)) {
        fs.readFileSync = read
        syncBuiltinESMExports()
        fs.appendFileSync(path, '// Changed.')
      }
      return text
    }
    syncBuiltinESMExports()`,
  )
  assert.deepEqual(at.bundle(`--import=${pathToFileURL(changing)}`), [])
  assert.equal(at.bundle().length, 2)
})

test('a bundle of the current sources is not built again', () => {
  using at = smallCheckout()
  const name = at.bundle().find((file) => file !== 'sources.json')!
  const builtAt = statSync(join(at.bundlesPath, name)).mtimeMs
  at.bundle()
  assert.equal(statSync(join(at.bundlesPath, name)).mtimeMs, builtAt)
})

test('the previous bundle remains for its users, and older ones are deleted', () => {
  using at = smallCheckout()
  const age = (name: string, hours: number) => {
    mkdirSync(join(at.bundlesPath, name))
    const then = Date.now() / 1000 - hours * 3600
    utimesSync(join(at.bundlesPath, name), then, then)
  }
  const [before, old] = ['b'.repeat(32), 'c'.repeat(32)]
  for (const [name, hours] of [
    [before, 5],
    [old, 6],
    ['making-1', 0],
    ['making-2', 4],
  ] as const)
    age(name, hours)
  const remaining = at.bundle().filter((name) => name !== 'sources.json')
  assert.equal(remaining.length, 3)
  assert.deepEqual([before, 'making-1'].filter((name) => remaining.includes(name)).length, 2)
})

test('each source file that a bundle changes exists and is changed', () => {
  for (const [file, change] of sourceChanges) {
    const source = readFileSync(join(root, file), 'utf8')
    assert.notEqual(change(source), source, file)
  }
})

test('an unwritable V8 cache leaves nothing behind', async ({ mock }) => {
  using at = scratch()
  mock.timers.enable({ apis: ['setTimeout'] })
  const running = '{ server: async () => ({ running: Promise.resolve() }) }'
  writeFileSync(join(at.folder, 'service.cjs'), `(function (exports) { Object.assign(exports, ${running}) })`)
  mkdirSync(join(at.folder, 'server.compiled'))
  await runScript(pathToFileURL(join(at.folder, 'server.mjs')).href, 'server')
  mock.timers.tick(3_600_000)
  assert.deepEqual(readdirSync(at.folder).toSorted(), ['server.compiled', 'service.cjs'])
})
