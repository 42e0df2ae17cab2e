import type { NewRepository } from '#interns/registry/repository.ts'
import type { Config } from '#platform/config/settings.ts'
import { Fault } from '#platform/core/fault.ts'
import { findForbiddenReason } from '#provision/repository/allowed-origins.ts'

type InternRepositoryDeps = {
  config: Pick<Config, 'repository_origins' | 'provisioner' | 'kubernetes_egress'>
  hasProgram: (command: string, path?: string) => boolean
}

/**
 * Refuses a repository that cannot be cloned, as far as this can be checked when an intern is created or changed.
 * @throws Fault `invalid`.
 */
export function requireRepository(
  { config, hasProgram }: InternRepositoryDeps,
  repository: Pick<NewRepository, 'url'> | null | undefined,
): void {
  if (!repository) return
  const reason = findForbiddenReason(config, new URL(repository.url))
  if (reason) throw new Fault('invalid', `Invalid request: repository.url: ${reason}`)
  const inPods = config.provisioner === 'kubernetes'
  if (inPods && config.kubernetes_egress.length === 0)
    throw new Fault(
      'invalid',
      'Invalid request: repository: interns run as pods, which cannot reach the server of the repository unless the setting "kubernetes_egress" allows it',
    )
  // For pods this is checked at the start, because the image contains the programs.
  if (!inPods && !hasProgram('git'))
    throw new Fault('invalid', 'Invalid request: repository: git is not installed on this server')
}
