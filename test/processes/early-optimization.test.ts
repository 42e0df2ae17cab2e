import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('../..', import.meta.url))

/** The flags are internal to V8: a new version of Node can drop them without an error (docs/decisions/0291). */
test('V8 optimizes a function for TurboFan within 900 calls, and none for Maglev', () => {
  const program = `
    function countCharacters(words) { let sum = 0; for (const word of words) sum += word.length; return sum }
    for (let call = 0; call < 900; call++) countCharacters(['some', 'short', 'words'])`
  const args = ['--import', './bin/compile-cache.js', '--trace-opt', '--eval', program]
  const trace = execFileSync(process.execPath, args, { cwd: root, encoding: 'utf8' })
  assert.match(trace, /<JSFunction countCharacters .* for optimization to TURBOFAN_JS/)
  assert.doesNotMatch(trace, /MAGLEV/)
})
