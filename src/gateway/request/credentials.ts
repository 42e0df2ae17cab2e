import { type Endpoint, type Provider, parseEndpointId } from '#catalogue/index/model.ts'
import { expandUrl } from '#catalogue/sources/expand-url.ts'
import type { Caller } from '#identity/accounts/caller.ts'
import type { CredentialCache, OwnCredential } from '#identity/provider-keys/credential-cache.ts'
import type { Catalogue, ModelLookup } from './catalogue-lookup.ts'

/** Access to an upstream: its base URL, the secret if it needs one, and whether the caller's workspace supplied it. */
export type Access = { baseUrl: string | undefined; secret: string | undefined; byok: boolean }

/** The upstreams that one caller can reach. */
export type AccessLookup = {
  find: (provider: Provider, endpoint: Pick<Endpoint, 'id' | 'baseUrl'>) => Access | undefined
}

type CredentialUser = Pick<Caller, 'workspaceId' | 'keyHash' | 'userId'>

export type Credentials = {
  /** Finds the upstreams that a caller can reach. */
  of: (caller: CredentialUser) => Promise<AccessLookup>
  /** Like `of`, without waiting; undefined if the workspace's own credentials must be read first. */
  getCached: (caller: CredentialUser) => AccessLookup | undefined
}

type Variable = (name: string) => string | undefined

/** The operator's credentials, from the environment variables that the catalogue names for each provider. */
export function createEnvironmentCredentials(readVariable: Variable): { of: (caller: CredentialUser) => AccessLookup } {
  /** Caches the access to each base URL, because the environment does not change. */
  const cache = new WeakMap<Provider, Map<string | null, Access | undefined>>()
  const readAccess = (provider: Provider, url: string | null): Access | undefined => {
    const baseUrl = url === null ? undefined : expandUrl(url, readVariable)
    if (baseUrl === null) return undefined
    if (provider.credentialVariables.length === 0) return { baseUrl, secret: undefined, byok: false }
    const secret = provider.credentialVariables.map((name) => readVariable(name)?.trim()).find(Boolean)
    return secret ? { baseUrl, secret, byok: false } : undefined
  }
  const find: AccessLookup['find'] = (provider, endpoint) => {
    const url = endpoint.baseUrl ?? provider.baseUrl
    const byUrl = cache.getOrInsertComputed(provider, emptyMap)
    // Not `getOrInsertComputed`: it needs a new callback for each call, and each request makes about ten calls.
    if (!byUrl.has(url)) byUrl.set(url, readAccess(provider, url))
    return byUrl.get(url)
  }
  const lookup = { find }
  return { of: () => lookup }
}

const emptyMap = () => new Map<string | null, Access | undefined>()

/** The workspace's own credentials that the caller is allowed to use, before those of the operator. */
export function createCredentials(
  operatorCredentials: { of: (caller: CredentialUser) => AccessLookup },
  ownCredentials: Pick<CredentialCache, 'of' | 'getCached'>,
  catalogue: Catalogue<ModelLookup>,
  variable: Variable,
): Credentials {
  const combineCredentials = (caller: CredentialUser, workspaceCredentials: readonly OwnCredential[]): AccessLookup => {
    const operator = operatorCredentials.of(caller)
    if (workspaceCredentials.length === 0) return operator
    const query = { workspaceCredentials, caller, operator, catalogue: catalogue.current(), variable }
    return { find: (provider, endpoint) => findOwnCredential(query, provider, endpoint) }
  }
  return {
    of: async (caller) => combineCredentials(caller, await ownCredentials.of(caller.workspaceId)),
    getCached(caller) {
      const cached = ownCredentials.getCached(caller.workspaceId)
      return cached && combineCredentials(caller, cached)
    },
  }
}

type CredentialQuery = {
  workspaceCredentials: readonly OwnCredential[]
  caller: CredentialUser
  operator: AccessLookup
  catalogue: ModelLookup
  variable: Variable
}

function findOwnCredential(
  { workspaceCredentials, caller, operator, catalogue, variable }: CredentialQuery,
  provider: Provider,
  endpoint: Pick<Endpoint, 'id' | 'baseUrl'>,
): Access | undefined {
  const providerCredentials = workspaceCredentials.filter((credential) => credential.provider === provider.slug)
  if (providerCredentials.length === 0) return operator.find(provider, endpoint)
  const { modelId } = parseEndpointId(endpoint.id)
  const modelCredentials = providerCredentials.filter(({ allowed_models }) =>
    isAllowedModel(catalogue, modelId, allowed_models),
  )
  const usableCredentials = modelCredentials.filter(
    (credential) => !credential.disabled && isUsableBy(credential, caller),
  )
  const url = endpoint.baseUrl ?? provider.baseUrl
  const baseUrl = url === null ? undefined : expandUrl(url, variable)
  const accessWith = (credential: OwnCredential | undefined): Access | undefined =>
    credential && baseUrl !== null ? { baseUrl, secret: credential.secret, byok: true } : undefined
  const preferred = accessWith(usableCredentials.find((credential) => !credential.is_fallback))
  if (preferred) return preferred
  // Also applies if the own credential is disabled, or the caller cannot use it: the operator's credential must not
  // bypass it. `is_byok_only` excludes it for all models of the provider, `is_required` for those that the own one allows.
  const isOperatorExcluded =
    providerCredentials.some((credential) => credential.is_byok_only) ||
    modelCredentials.some((credential) => credential.is_required)
  return (isOperatorExcluded ? undefined : operator.find(provider, endpoint)) ?? accessWith(usableCredentials[0])
}

/** Whether a list names a model, by id, canonical slug or alias. Without a list, all models are allowed. */
function isAllowedModel(catalogue: ModelLookup, model: string, names: string[] | null): boolean {
  return names?.some((name) => name === model || catalogue.findModel(name)?.id === model) ?? true
}

function isUsableBy(
  { allowed_api_key_hashes, allowed_user_ids }: OwnCredential,
  { keyHash, userId }: CredentialUser,
): boolean {
  return (allowed_api_key_hashes?.includes(keyHash) ?? true) && (allowed_user_ids?.includes(userId) ?? true)
}
