import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { constants } from 'node:os'
import { fileURLToPath } from 'node:url'
import { createSubReaperCommand, hasSubReaper } from '#agent/sandbox/sub-reaper.ts'

/**
 * The test command. Runs `run-files.ts` in its own session, so that Ctrl-C reaches only this process. When the run ends
 * or is interrupted, every process that descends from it is ended, also daemons and processes in other sessions.
 */
const script = fileURLToPath(new URL('./run-files.ts', import.meta.url))
const [node, ...parameters] = [process.execPath, script, ...process.argv.slice(2)] as const
const { file, args } = hasSubReaper
  ? createSubReaperCommand([node, ...parameters], undefined)
  : { file: node, args: [...parameters] }

let interruption: NodeJS.Signals | undefined
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.on(signal, () => {
    interruption ??= signal
    endAll()
  })
}

// The sub-reaper ends all processes when the pipe closes, also because this process was killed.
const child = spawn(file, args, { stdio: ['ignore', 'inherit', 'inherit', 'pipe'], detached: true })
const [code] = await once(child, 'exit')
process.exit(interruption ? 128 + constants.signals[interruption] : (code ?? 1))

function endAll(): void {
  const pipe = child.stdio[3]
  if (hasSubReaper) return void pipe?.destroy()
  try {
    process.kill(-child.pid!, 'SIGKILL')
  } catch {
    // All processes of the group have ended.
  }
}
