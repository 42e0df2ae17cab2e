import type { Endpoint, Provider } from '#catalogue/index/model.ts'
import type { ProviderLookup } from './catalogue-lookup.ts'
import type { Access, AccessLookup } from './credentials.ts'

/** The endpoints that one caller can reach, with the credential and the circuit breaker of each. */
export class EndpointAccess {
  readonly #catalogue: ProviderLookup
  readonly #accessLookup: AccessLookup
  readonly #workspaceId: string

  constructor(catalogue: ProviderLookup, accessLookup: AccessLookup, workspaceId: string) {
    this.#catalogue = catalogue
    this.#accessLookup = accessLookup
    this.#workspaceId = workspaceId
  }

  /** Base URL and credential of an endpoint; undefined if none is configured. */
  find(provider: Provider, endpoint: Endpoint): Access | undefined {
    return this.#accessLookup.find(provider, endpoint)
  }

  isConfigured(endpoint: Endpoint): boolean {
    return this.#findAccess(endpoint) !== undefined
  }

  /** Whether an attempt uses the workspace's own credential. */
  isByok(endpoint: Endpoint): boolean {
    return this.#findAccess(endpoint)?.byok === true
  }

  /**
   * The name of the endpoint's circuit breaker. Each workspace with its own credential has a separate one, because its
   * failures must not open the circuit for other workspaces.
   */
  circuitNameOf(endpoint: Endpoint): string {
    return this.isByok(endpoint) ? `${endpoint.id} ${this.#workspaceId}` : endpoint.id
  }

  #findAccess(endpoint: Endpoint): Access | undefined {
    const provider = this.#catalogue.findProvider(endpoint.provider)
    return provider && this.#accessLookup.find(provider, endpoint)
  }
}
