import { randomUUID } from 'node:crypto'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { monotonicNow } from '#daemon/monotonic-clock.ts'
import { readSettings } from '#daemon/settings.ts'
import { startDaemon } from '#daemon/start.ts'

/** The daemon of an intern as in its pod, but with these folders in the place of the pod's, at an address of this host. */
export async function runInPod({ home, configured }: { home: string; configured: string }, address: string) {
  mkdirSync(home, { recursive: true })
  const text = readFileSync(join(configured, 'settings.json'), 'utf8')
  const settings = JSON.parse(text.replaceAll('/home/intern', home).replaceAll('/etc/intern', configured))
  settings.listen.host = address
  settings.limits.certificateLookMs = 50
  const file = join(configured, 'settings-here.json')
  writeFileSync(file, JSON.stringify(settings))
  return startDaemon(readSettings(file, process.env), {
    log: () => {},
    now: monotonicNow,
    newId: randomUUID,
  })
}
