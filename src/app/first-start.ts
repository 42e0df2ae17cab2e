import { createDemoIntern, type Supervision } from '#api/interns/supervision.ts'
import type { FirstKeys } from '#identity/accounts/bootstrap.ts'
import { createKeyReader } from '#identity/accounts/keys/read-keys.ts'
import { hashOf } from '#identity/accounts/keys/secret.ts'
import type { Vault } from '#identity/provider-keys/vault.ts'
import { createLinkFromDatabase } from '#identity/sign-in/link-from-database.ts'
import type { Config } from '#platform/config/settings.ts'
import type { Now } from '#platform/core/clock.ts'
import type { NewId } from '#platform/core/id.ts'
import type { Db } from '#platform/db/db.ts'

/** The results of the very first start, which are displayed once. Later starts have none. */
export type FirstStart = {
  /** The generated secrets. A secret that the operator chose is never displayed. */
  firstKeys: Partial<FirstKeys> | undefined
  /** Whether a demo intern was created. */
  demo: boolean
  /** The token of a link that signs in the owner of the management key; undefined if the operator chose that key. */
  signInToken: string | undefined
}

type FirstStartDeps = {
  config: Pick<Config, 'demo_intern' | 'console' | 'bootstrap_management_key' | 'bootstrap_api_key'>
  db: Db
  now: Now
  newId: NewId
  vault: Vault
  supervision: Pick<Supervision, 'supervisor'>
  /** Ends the wait for the demo intern. */
  stopping: AbortSignal | undefined
}

/**
 * Creates the demo intern and the sign-in link of the very first start.
 * @param firstKeys the keys that this start has created; undefined for a later start.
 */
export async function finishFirstStart(deps: FirstStartDeps, firstKeys: FirstKeys | undefined): Promise<FirstStart> {
  const { config } = deps
  if (!firstKeys) return { firstKeys: undefined, demo: false, signInToken: undefined }
  if (config.demo_intern) await startDemoIntern(deps, firstKeys)
  return {
    firstKeys: generatedKeys(firstKeys, config),
    demo: config.demo_intern,
    signInToken: await createSignInToken(deps),
  }
}

async function startDemoIntern(deps: FirstStartDeps, { apiKey }: FirstKeys): Promise<void> {
  const hash = hashOf(apiKey)
  const owner = (await createKeyReader(deps)([hash])).get(hash)?.caller
  if (owner) await createDemoIntern(deps, deps.supervision, owner, deps.stopping)
}

function generatedKeys({ managementKey, apiKey }: FirstKeys, config: FirstStartDeps['config']): Partial<FirstKeys> {
  const generated: Partial<FirstKeys> = {}
  if (config.bootstrap_management_key === undefined) generated.managementKey = managementKey
  if (config.bootstrap_api_key === undefined) generated.apiKey = apiKey
  return generated
}

/**
 * An operator who chose the management key gets no link: a start without a person at the terminal must not log anything
 * that signs in.
 */
async function createSignInToken(deps: FirstStartDeps): Promise<string | undefined> {
  if (!deps.config.console || deps.config.bootstrap_management_key !== undefined) return undefined
  return (await createLinkFromDatabase(deps)).token
}
