import { chownSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { findSandbox, listSandboxMethods } from '#agent/sandbox/sandbox.ts'
import type { Config } from '#platform/config/settings.ts'

type ActiveSandboxDeps = {
  config: Pick<Config, 'provisioner' | 'sandbox_program' | 'without_sandbox' | 'intern_users_from'>
  path: string | undefined
}

/**
 * Tries the sandbox as an intern would use it, as a separate user if interns have one.
 * @returns one line with the sandbox method and why no better one is used. Without a sandbox: the reason and the effect.
 */
export async function describeSandbox({ config, path }: ActiveSandboxDeps): Promise<string> {
  if (config.provisioner === 'kubernetes') return 'the pod of each intern (setting "provisioner")'
  const user = process.getuid?.() === 0 && config.intern_users_from > 0 ? config.intern_users_from : undefined
  const folder = mkdtempSync(join(tmpdir(), 'signalbox-sandbox-'))
  try {
    if (user !== undefined) chownSync(folder, user, user)
    const options = { program: config.sandbox_program, path, node: process.execPath, readable: [] }
    const found = await findSandbox(listSandboxMethods(options), folder, user)
    if ('reason' in found) return `none: ${effects[config.without_sandbox]}. ${found.reason}`
    const { method, skippedMethods } = found
    return skippedMethods.length > 0 ? `${method.name}, because ${skippedMethods.join(', and ')}` : method.name
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** The effect of the setting `without_sandbox`. */
const effects = {
  refuse: 'interns ask in `manual`, but run no command (setting "without_sandbox")',
  consent: 'in `manual` interns run commands without one, where they are allowed to (setting "without_sandbox")',
}
