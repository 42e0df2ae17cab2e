import { mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Repository } from '#interns/registry/repository.ts'
import { type CloneDeps, type CloneRules, cloneRepository } from '../repository/clone.ts'

/** The input of the container that clones, in a file that no other container has. */
export type CloneRequest = {
  /** The folder that contains the workspace. */
  home: string
  repository: Repository
  password: string | undefined
  config: CloneRules
  /** Trusted CA certificates, as PEM. */
  authorities?: string | undefined
}

/**
 * Clones the repository that the file names. If the volume already contains the clone, does nothing: all pods of the intern share
 * the volume.
 * @throws Error with the reason, written for the intern's owner.
 */
export async function cloneInPod(
  file: string,
  deps: Pick<CloneDeps, 'path' | 'mask' | 'onMeasureError'>,
): Promise<void> {
  const { home, repository, password, config, authorities }: CloneRequest = JSON.parse(readFileSync(file, 'utf8'))
  mkdirSync(join(home, 'workspace'), { recursive: true, mode: 0o700 })
  const signal = AbortSignal.timeout(config.repository_clone_ms)
  // The pod has one user. The credential is gone with this container before any process of the intern starts.
  await cloneRepository(
    { ...deps, config, caCertificates: authorities, gitLocation: 'in its image' },
    { home, repository, password, uid: undefined, signal },
  )
}
