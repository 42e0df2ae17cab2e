import { mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Repository } from '#interns/registry/repository.ts'
import { type CloneDeps, type CloneRules, cloneRepository } from '../repository/clone.ts'

/** What the container that clones is told, in a file that no other container has. */
export type CloneOrder = {
  /** The folder with the workspace in it. */
  home: string
  repository: Repository
  password: string | undefined
  config: CloneRules
  /** Trusted authorities, as PEM. */
  authorities?: string | undefined
}

/** Clones as the file says, once for all pods of the intern. @throws Error that says, for its owner, why it could not. */
export async function cloneInPod(file: string, around: Pick<CloneDeps, 'path' | 'mask' | 'uncounted'>): Promise<void> {
  const { home, repository, password, config, authorities }: CloneOrder = JSON.parse(readFileSync(file, 'utf8'))
  mkdirSync(join(home, 'workspace'), { recursive: true, mode: 0o700 })
  const signal = AbortSignal.timeout(config.repository_clone_ms)
  // The pod has one user, and the credential leaves with this container, before any of the intern runs.
  await cloneRepository(
    { ...around, config, authorities, host: 'in its image' },
    { home, repository, password, uid: undefined, signal },
  )
}
