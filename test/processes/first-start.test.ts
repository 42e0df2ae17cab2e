import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('../..', import.meta.url))

test('a start by an older Node names the required version', () => {
  const folder = mkdtempSync(join(tmpdir(), 'signalbox-uninstalled-'))
  try {
    cpSync(join(root, 'bin/compile-cache.js'), join(folder, 'bin/compile-cache.js'))
    writeFileSync(join(folder, 'package.json'), '{"type":"module"}')
    // Stands for the system's Node, which may be any version.
    const older = "Object.defineProperty(process.versions, 'node', { value: '20.19.0' })"
    writeFileSync(join(folder, 'older.js'), older)
    writeFileSync(join(folder, 'start.js'), 'console.log("started")')
    const start = () => {
      const args = ['--import', './older.js', '--import', './bin/compile-cache.js', 'start.js']
      const { status, stdout, stderr } = spawnSync(process.execPath, args, { cwd: folder, encoding: 'utf8' })
      assert.deepEqual([status, stdout], [1, ''])
      return stderr
    }
    assert.match(start(), /^Signalbox is not installed yet: run "npm ci"/)
    mkdirSync(join(folder, 'node_modules/node'), { recursive: true })
    writeFileSync(join(folder, 'node_modules/node/package.json'), '{}')
    assert.match(start(), /"npm ci --ignore-scripts": run "npm rebuild node esbuild"/)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
})
