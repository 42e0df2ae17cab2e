import type { ProviderNeeds } from '../api/types.ts'

type CredentialNote = {
  /** Names of the providers whose credential is set or stored. */
  ready: string[]
  /** If `ready` is empty: the provider with the most models, and the credentials that it lacks. */
  first?: Pick<ProviderNeeds, 'name' | 'missing'> | undefined
}

/**
 * Lists the providers that can be used. Without any, names the first provider and what it lacks.
 * @param providers those with the most models first, as the API lists them.
 * @param stored slugs of the providers for which the workspace stored a key.
 */
export function credentialNote(providers: readonly ProviderNeeds[], stored: readonly string[]): CredentialNote {
  const withModels = providers.filter(
    ({ credential_variables, models }) => credential_variables.length > 0 && models > 0,
  )
  // A stored key replaces the credential in the environment, but no other missing variable, such as an address.
  const isReady = ({ slug, missing, credential_variables }: ProviderNeeds) =>
    missing.every((variable) => stored.includes(slug) && credential_variables.includes(variable))
  const readyProviders = withModels.filter(isReady).map(({ name }) => name)
  return readyProviders.length > 0 ? { ready: readyProviders } : { ready: readyProviders, first: withModels[0] }
}
