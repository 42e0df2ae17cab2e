import { call } from '../../api/client.ts'
import { asFailure } from '../../api/failure.ts'
import { invalidate } from '../../api/resource.ts'
import type { NewKey } from '../../api/types.ts'

/**
 * Creates a key, and a guardrail that allows it only these models. If the guardrail cannot be created, the key is deleted.
 * @param models all models if empty.
 * @returns the secret.
 * @throws Failure
 */
export async function createKeyWithModels(body: NewKey, models: string[]): Promise<string> {
  const { data, key } = await call('POST /keys', { body })
  if (models.length === 0) return key
  try {
    await allowOnly(data, models)
  } catch (error) {
    await call('DELETE /keys/{hash}', { params: { hash: data.hash } })
    throw error
  }
  invalidate('/guardrails')
  return key
}

type CreatedKey = { hash: string; name: string; workspace_id: string }

async function allowOnly({ hash, name, workspace_id }: CreatedKey, models: string[]): Promise<void> {
  const create = (name: string) => call('POST /guardrails', { body: { name, allowed_models: models, workspace_id } })
  const { data } = await create(`Models of ${name}`).catch((error) => {
    if (asFailure(error).status !== 409) throw error
    // Another key has the same name; guardrails of a workspace have different names.
    return create(`Models of ${name}, ${hash.slice(0, 8)}`)
  })
  const params = { id: data.id }
  try {
    await call('POST /guardrails/{id}/assignments/keys', { params, body: { key_hashes: [hash] } })
  } catch (error) {
    await call('DELETE /guardrails/{id}', { params })
    throw error
  }
}
