import type { Intern } from '#interns/registry/intern-store.ts'
import type { Repository } from '#interns/registry/repository.ts'
import type { Config } from '#platform/config/settings.ts'
import { trustedCaCertificates } from '#platform/net/ca-certificates.ts'
import { cloneRepository } from './clone.ts'

type CloningDeps = {
  config: Config
  variable: (name: string) => string | undefined
  passwordOf: (intern: Intern) => Promise<string | undefined>
  mask: (text: string, secret: string | undefined) => string
  /** Called when the disk use of a clone could not be measured. */
  onMeasureError: (error: Error) => void
}

/**
 * The registered start of an intern. `RunningClones.stop` cancels its clone, also one that has not started yet. Must be
 * disposed at the end of the start.
 */
type RegisteredStart = Disposable & {
  clone: (repository: Repository, home: string, uid: number | undefined) => Promise<void>
}

/** The starts of interns on this host, each of which can clone a repository. */
export class RunningClones {
  readonly #deps: CloningDeps
  readonly #stops = new Map<string, AbortController>()

  constructor(deps: CloningDeps) {
    this.#deps = deps
  }

  /** Registers the start of an intern, which can need a clone, and cancels an earlier one of the same intern. */
  register(intern: Intern): RegisteredStart {
    const { config, variable, passwordOf, mask, onMeasureError } = this.#deps
    const { id } = intern
    const stopController = new AbortController()
    this.stop(id)
    this.#stops.set(id, stopController)
    return {
      clone: async (repository, home, uid) => {
        const password = await passwordOf(intern)
        const signal = AbortSignal.any([stopController.signal, AbortSignal.timeout(config.repository_clone_ms)])
        const deps = {
          config,
          path: variable('PATH') ?? '',
          gitLocation: 'on this server',
          mask,
          onMeasureError,
        } as const
        const caCertificates = trustedCaCertificates()
        await cloneRepository({ ...deps, caCertificates }, { home, repository, password, uid, signal })
      },
      [Symbol.dispose]: () => {
        if (this.#stops.get(id) === stopController) this.#stops.delete(id)
      },
    }
  }

  /** Cancels the clone of an intern that is starting. */
  stop(internId: string): void {
    this.#stops.get(internId)?.abort()
  }
}
