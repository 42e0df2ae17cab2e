import type { Endpoint } from '#catalogue/index/model.ts'
import type { IsReachable, RequestOwner } from './past-verdict.ts'

type Load = (owner: RequestOwner) => Promise<(endpoint: Endpoint) => boolean>

/** Caches which endpoints each owner of requests can reach, for the time of one replay. */
export class OwnerReachability {
  readonly #load: Load | undefined
  readonly #byOwner = new Map<string, (endpoint: Endpoint) => boolean>()

  /** @param load undefined if every endpoint counts as reachable. */
  constructor(load: Load | undefined) {
    this.#load = load
  }

  /** Loads the owners of some requests before they are judged. */
  async load(requests: readonly RequestOwner[]): Promise<void> {
    if (!this.#load) return
    for (const { keyHash, userId } of requests) {
      const name = nameOf({ keyHash, userId })
      if (!this.#byOwner.has(name)) this.#byOwner.set(name, await this.#load({ keyHash, userId }))
    }
  }

  readonly isReachable: IsReachable = (owner, endpoint) => this.#byOwner.get(nameOf(owner))?.(endpoint) ?? true
}

const nameOf = ({ keyHash, userId }: RequestOwner) => `${keyHash} ${userId}`
