import type { Endpoint, Provider } from '#catalogue/model.ts'

/** What opens an upstream: where it is, the secret if it wants one, and whether the caller's workspace brought it. */
export type Access = { baseUrl: string | undefined; secret: string | undefined; byok: boolean }

/** The upstreams that one workspace can reach. */
export type Accesses = { find: (provider: Provider, endpoint: Pick<Endpoint, 'baseUrl'>) => Access | undefined }

export type Credentials = { of: (workspaceId: string) => Accesses | Promise<Accesses> }

type Variable = (name: string) => string | undefined

/** The operator's credentials, from the environment variables that the catalogue names for each provider. */
export function environmentCredentials(variable: Variable): Credentials {
  /** The environment does not change, and reading it costs more than looking here. */
  const found = new WeakMap<Provider, Map<string | null, Access | undefined>>()
  const read = (provider: Provider, url: string | null): Access | undefined => {
    const baseUrl = url === null ? undefined : filledIn(url, variable)
    if (baseUrl === null) return undefined
    if (provider.credentialVariables.length === 0) return { baseUrl, secret: undefined, byok: false }
    const secret = provider.credentialVariables.map(variable).find((value) => value)
    return secret ? { baseUrl, secret, byok: false } : undefined
  }
  const find: Accesses['find'] = (provider, endpoint) =>
    found
      .getOrInsertComputed(provider, () => new Map())
      .getOrInsertComputed(endpoint.baseUrl ?? provider.baseUrl, (url) => read(provider, url))
  const accesses = { find }
  return { of: () => accesses }
}

/** The base URL with each `${NAME}` replaced; null when a variable is missing. */
export function filledIn(url: string, variable: Variable): string | null {
  let missing = false
  const filled = url.replace(/\$\{(\w+)\}/g, (_, name: string) => {
    const value = variable(name)
    missing ||= !value
    return value ?? ''
  })
  return missing ? null : filled
}
