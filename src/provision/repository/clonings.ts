import type { Config } from '#config/settings.ts'
import type { Repository } from '#interns/repository.ts'
import type { Intern } from '#interns/store.ts'
import { cloneRepository } from './clone.ts'

type CloningDeps = {
  config: Config
  variable: (name: string) => string | undefined
  passwordOf: (intern: Intern) => Promise<string | undefined>
  mask: (text: string, secret: string | undefined) => string
}

/** The interns of this host whose repositories are being cloned. */
export class Clonings {
  readonly #deps: CloningDeps
  readonly #stops = new Map<string, AbortController>()

  constructor(deps: CloningDeps) {
    this.#deps = deps
  }

  async clone(intern: Intern, repository: Repository, home: string, uid: number | undefined): Promise<void> {
    const { config, variable, passwordOf, mask } = this.#deps
    const stopped = new AbortController()
    this.#stops.set(intern.id, stopped)
    try {
      const password = await passwordOf(intern)
      const signal = AbortSignal.any([stopped.signal, AbortSignal.timeout(config.repository_clone_ms)])
      const around = { config, path: variable('PATH') ?? '', host: 'on this server', mask } as const
      await cloneRepository(around, { home, repository, password, uid, signal })
    } finally {
      this.#stops.delete(intern.id)
    }
  }

  stop(internId: string): void {
    this.#stops.get(internId)?.abort()
  }
}
