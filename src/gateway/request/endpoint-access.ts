import type { Endpoint, Provider } from '#catalogue/index/model.ts'
import type { ProviderLookup } from './catalogue-lookup.ts'
import type { Access, Accesses } from './credentials.ts'

/** The endpoints that one caller can reach, with the credential and the circuit breaker of each. */
export class EndpointAccess {
  readonly #catalogue: ProviderLookup
  readonly #accesses: Accesses
  readonly #workspaceId: string

  constructor(catalogue: ProviderLookup, accesses: Accesses, workspaceId: string) {
    this.#catalogue = catalogue
    this.#accesses = accesses
    this.#workspaceId = workspaceId
  }

  /** Base URL and credential of an endpoint; undefined if none is configured. */
  find(provider: Provider, endpoint: Endpoint): Access | undefined {
    return this.#accesses.find(provider, endpoint)
  }

  isConfigured(endpoint: Endpoint): boolean {
    return this.#accessOf(endpoint) !== undefined
  }

  /** Whether an attempt uses the workspace's own credential. */
  isByok(endpoint: Endpoint): boolean {
    return this.#accessOf(endpoint)?.byok === true
  }

  /**
   * The name of the endpoint's circuit breaker. A workspace's own credential has its own: its failures must not open
   * the circuit for other workspaces.
   */
  circuitNameOf(endpoint: Endpoint): string {
    return this.isByok(endpoint) ? `${endpoint.id} ${this.#workspaceId}` : endpoint.id
  }

  #accessOf(endpoint: Endpoint): Access | undefined {
    const provider = this.#catalogue.findProvider(endpoint.provider)
    return provider && this.#accesses.find(provider, endpoint)
  }
}
