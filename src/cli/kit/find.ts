import type { z } from 'zod'
import type { Key } from '#api/routes/keys/key.ts'
import type { Member } from '#api/routes/organization/member.ts'
import type { WorkspaceRecord } from '#identity/accounts/workspace.ts'
import { UserFacingError } from '#platform/core/fault.ts'
import type { Guardrail } from '#policy/guardrails/guardrail.ts'
import type { ApiClient } from './api-client.ts'

export type ListedKey = z.infer<typeof Key> & { workspace: string }
export type ListedMember = z.infer<typeof Member>

const minDigits = 6

/** Help text for the argument with which `findByHash` finds a key. */
export const hashHelp = `Hash of the key, as listed by "keys list", or its first ${minDigits} or more digits`

/** Reads all keys, including disabled ones, with the slug of their workspace. */
export async function listAllKeys(client: ApiClient): Promise<ListedKey[]> {
  const workspaces = await client.listAll<WorkspaceRecord>('/workspaces')
  const listed = workspaces.map(async ({ id, slug }) => {
    const keys = await client.listAll<z.infer<typeof Key>>(`/keys?workspace_id=${id}&include_disabled=true`)
    return keys.map((key) => ({ ...key, workspace: slug }))
  })
  return (await Promise.all(listed)).flat()
}

/** Finds a key by the start of its hash. @throws UserFacingError when none or several match */
export async function findByHash(client: ApiClient, hash: string): Promise<ListedKey> {
  if (hash.length < minDigits)
    throw new UserFacingError(`"${hash}" is too short: enter at least ${minDigits} digits of the hash.`)
  const matches = (await listAllKeys(client)).filter((key) => key.hash.startsWith(hash.toLowerCase()))
  const [key] = matches
  if (!key)
    throw new UserFacingError(`No key has a hash that starts with "${hash}". To list all: npx signalbox keys list`)
  if (matches.length > 1)
    throw new UserFacingError(`${matches.length} keys have a hash that starts with "${hash}": enter more digits.`)
  return key
}

export const listAllMembers = (client: ApiClient) => client.listAll<ListedMember>('/organization/members')

/** Finds a member by email address. @throws UserFacingError when no member has it */
export async function findMember(client: ApiClient, email: string): Promise<ListedMember> {
  const member = (await listAllMembers(client)).find((candidate) => candidate.email === email.toLowerCase())
  if (member) return member
  throw new UserFacingError(`Member "${email}" not found. To list all: npx signalbox members list`)
}

/** Help text for the argument with which `findGuardrailId` finds a guardrail. */
export const guardrailHelp = 'ID or name of the guardrail, or "default:<workspace>" for the default one of a workspace'

/** Finds the ID of a guardrail. @throws UserFacingError when it does not exist, or its name is ambiguous */
export async function findGuardrailId(client: ApiClient, idOrName: string): Promise<string> {
  if (idOrName.startsWith('default:')) {
    const slug = encodeURIComponent(idOrName.slice('default:'.length))
    return (await client.request<{ data: WorkspaceRecord }>('GET', `/workspaces/${slug}`)).data.default_guardrail_id
  }
  const all = await client.listAll<Guardrail>('/guardrails')
  const matches = all.filter(({ id, name }) => id === idOrName || name === idOrName)
  if (matches.length === 1) return matches[0]!.id
  if (matches.length > 1) {
    throw new UserFacingError(
      `${matches.length} guardrails are named "${idOrName}": use an ID, such as ${matches[0]!.id}.`,
    )
  }
  throw new UserFacingError(`Guardrail "${idOrName}" not found. To list all: npx signalbox guardrails list`)
}
