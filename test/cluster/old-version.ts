import { type ServerProcess, startProcess } from '#test/harness/service/server-process.ts'

/** Starts a server from the sources in a folder with another version. The default script is the bundle of this version. */
export const startVersion = (folder: string, env: Record<string, string | undefined>): ServerProcess =>
  startProcess(env, ['env', '-C', folder], 'bin/server.ts')

/** The folder of the old version, and why tests of it are skipped. Without `npm run test:cluster` nothing is installed. */
export function oldVersion(): { folder: string; skip: string | false } {
  const { OLD_VERSION: folder, OLD_VERSION_MISSING: reason } = process.env
  return {
    folder: folder ?? '',
    skip: folder ? false : (reason ?? 'the old version is installed by npm run test:cluster'),
  }
}
