import type { Config } from '#config/settings.ts'
import type { NewRepository } from '#interns/repository.ts'
import { Fault } from '#lib/fault.ts'
import { whyForbidden } from '#provision/repository/allowed.ts'

type InternRepositoryDeps = {
  config: Pick<Config, 'repository_origins' | 'provisioner'>
  hasProgram: (command: string, path?: string) => boolean
}

/**
 * Refuses a repository that cannot be cloned when the intern is made or changed, as far as that is known then.
 * @throws Fault `invalid`.
 */
export function requireRepository(
  { config, hasProgram }: InternRepositoryDeps,
  repository: Pick<NewRepository, 'url'> | null | undefined,
): void {
  if (!repository) return
  if (config.provisioner === 'kubernetes')
    throw new Fault('invalid', 'Invalid request: repository: interns in pods begin without one')
  const why = whyForbidden(config, new URL(repository.url))
  if (why) throw new Fault('invalid', `Invalid request: repository.url: ${why}`)
  if (!hasProgram('git')) throw new Fault('invalid', 'Invalid request: repository: git is not installed on this server')
}
