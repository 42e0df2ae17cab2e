#!/usr/bin/env node
// Plain JavaScript, so that any Node can run it: it hands over to the Node this project pins, which runs TypeScript.
import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const pinned = fileURLToPath(new URL('../node_modules/node/bin/node', import.meta.url))
const cli = fileURLToPath(new URL('./cli.ts', import.meta.url))
if (!existsSync(pinned)) {
  console.error('Signalbox is not installed yet: run "npm ci" in its folder first.')
  process.exit(1)
}
const child = spawn(pinned, [cli, ...process.argv.slice(2)], { stdio: 'inherit' })
const signals = ['SIGINT', 'SIGTERM', 'SIGHUP']
let receivedSignal
for (const signal of signals) {
  process.on(signal, () => {
    receivedSignal = signal
    child.kill(signal)
  })
}
child.on('exit', (code, signal) => {
  const cause = signal ?? (code > 128 ? receivedSignal : undefined)
  if (!cause) process.exit(code)
  // Ends with the signal itself, so that a shell reports it (exit code 130 after Ctrl-C) and stops its loops.
  for (const name of signals) process.removeAllListeners(name)
  process.kill(process.pid, cause)
})
