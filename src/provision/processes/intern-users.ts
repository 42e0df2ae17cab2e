import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Config } from '#platform/config/settings.ts'
import { allowTraversal } from '../host/home/intern-home.ts'
import { checkUserIds } from '../host/user-ids.ts'
import { programs } from './programs.ts'

const root = fileURLToPath(new URL('../../..', import.meta.url))
/** Files of the installation that an intern's process reads, one for each place where access can be denied. */
const requiredFiles = ['bin/daemon.ts', 'src/daemon/server/start.ts', 'package.json', 'node_modules/zod/package.json']

type UsersDeps = { config: Pick<Config, 'intern_users_from'>; dataDir: string; warn: (message: string) => void }

/** Whether each intern gets a separate user. Warns if that is configured and not possible. */
export async function checkInternUsers({ config, dataDir, warn }: UsersDeps, homes: string): Promise<boolean> {
  mkdirSync(homes, { recursive: true, mode: 0o700 })
  if (process.getuid?.() !== 0 || config.intern_users_from === 0) return false
  for (const folder of [dataDir, homes]) allowTraversal(folder)
  const files = [...Object.values(programs), ...requiredFiles.map((file) => join(root, file))]
  const reason = await checkUserIds(config.intern_users_from, files, homes)
  if (reason) warn(`Interns run as root, like this server, because separate users cannot run them here: ${reason}`)
  return reason === undefined
}
