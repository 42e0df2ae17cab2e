import type { Repository } from '#interns/registry/repository.ts'
import type { Intern } from '#interns/registry/store.ts'
import type { Config } from '#platform/config/settings.ts'
import { trustedAuthorities } from '#platform/net/authorities.ts'
import { cloneRepository } from './clone.ts'

type CloningDeps = {
  config: Config
  variable: (name: string) => string | undefined
  passwordOf: (intern: Intern) => Promise<string | undefined>
  mask: (text: string, secret: string | undefined) => string
  /** Called when the disk use of a clone could not be measured. */
  onUncounted: (error: Error) => void
}

/** A clone, which can also be cancelled before it starts. */
type RunningClone = Disposable & {
  clone: (repository: Repository, home: string, uid: number | undefined) => Promise<void>
}

/** The interns of this host whose repositories are being cloned, or are about to be. */
export class RunningClones {
  readonly #deps: CloningDeps
  readonly #stops = new Map<string, AbortController>()

  constructor(deps: CloningDeps) {
    this.#deps = deps
  }

  /** Registers the start of an intern, which can need a clone, and cancels an earlier one of the same intern. */
  register(intern: Intern): RunningClone {
    const { config, variable, passwordOf, mask, onUncounted } = this.#deps
    const { id } = intern
    const stopped = new AbortController()
    this.stop(id)
    this.#stops.set(id, stopped)
    return {
      clone: async (repository, home, uid) => {
        const password = await passwordOf(intern)
        const signal = AbortSignal.any([stopped.signal, AbortSignal.timeout(config.repository_clone_ms)])
        const deps = { config, path: variable('PATH') ?? '', host: 'on this server', mask, onUncounted } as const
        const authorities = trustedAuthorities()
        await cloneRepository({ ...deps, authorities }, { home, repository, password, uid, signal })
      },
      [Symbol.dispose]: () => {
        if (this.#stops.get(id) === stopped) this.#stops.delete(id)
      },
    }
  }

  stop(internId: string): void {
    this.#stops.get(internId)?.abort()
  }
}
