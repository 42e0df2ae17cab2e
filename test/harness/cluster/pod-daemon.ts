import { spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { monotonicNow } from '#daemon/runs/monotonic-clock.ts'
import { serveStoppedIntern } from '#daemon/server/serve-stopped-intern.ts'
import { startDaemon } from '#daemon/server/start.ts'
import { readSettings } from '#daemon/settings/settings.ts'

const cloneScript = fileURLToPath(new URL('../../../bin/clone.ts', import.meta.url))

/**
 * Runs the init container of a pod, if it has one.
 * @returns its output if it failed.
 */
export async function cloneAsInPod({
  home,
  configured,
}: {
  home: string
  configured: string
}): Promise<string | undefined> {
  const secretText = readFileSync(join(configured, 'repository.json'), 'utf8')
  // Not in the folder of the Secret: its files are replaced at any time.
  const orderFile = join(home, '..', 'repository.json')
  writeFileSync(orderFile, secretText.replaceAll('/home/intern', home))
  const clone = spawn(process.execPath, [cloneScript, orderFile], { stdio: ['ignore', 'ignore', 'pipe'] })
  const [output, [code]] = await Promise.all([text(clone.stderr), once(clone, 'close')])
  return code === 0 ? undefined : output
}

type Folders = { home: string; configured: string }

/** The daemon of an intern as in its pod, but with these folders instead of the pod's, at an address of this host. */
export async function runInPod(folders: Folders, address: string) {
  return startDaemon(settingsAt(folders, address), {
    log: () => {},
    now: Date.now,
    monotonicNow,
    newId: randomUUID,
  })
}

/** The process that serves the files of a stopped intern, in the same way. */
export const serveFilesInPod = (folders: Folders, address: string) =>
  serveStoppedIntern(settingsAt(folders, address), { idleMs: 600_000, log: () => {}, now: Date.now })

function settingsAt({ home, configured }: Folders, address: string) {
  mkdirSync(home, { recursive: true })
  const secretText = readFileSync(join(configured, 'settings.json'), 'utf8')
  const settings = JSON.parse(secretText.replaceAll('/home/intern', home).replaceAll('/etc/intern', configured))
  settings.listen.host = address
  settings.limits.certificateCheckMs = 50
  const file = join(configured, 'local-settings.json')
  writeFileSync(file, JSON.stringify(settings))
  return readSettings(file, process.env)
}
