import type { WorkspaceRecord } from '#identity/accounts/workspace.ts'
import { StartupError } from '#platform/core/fault.ts'
import { Policy } from '#policy/guardrails/decide/policy.ts'
import type { Guardrail } from '#policy/guardrails/guardrail.ts'
import type { ApiClient } from '../../kit/api-client.ts'
import { bodyFrom, fieldsFrom } from '../../kit/fields.ts'

/** Help text for the guardrail argument. */
export const guardrailHelp = 'ID or name of the guardrail, or "default:<workspace>" for the default one of a workspace'

/** Finds the ID of a guardrail. @throws StartupError when it does not exist, or its name is ambiguous */
export async function guardrailId(client: ApiClient, idOrName: string): Promise<string> {
  if (idOrName.startsWith('default:')) {
    const slug = encodeURIComponent(idOrName.slice('default:'.length))
    return (await client.request<{ data: WorkspaceRecord }>('GET', `/workspaces/${slug}`)).data.default_guardrail_id
  }
  const all = await client.listAll<Guardrail>('/guardrails')
  const found = all.filter(({ id, name }) => id === idOrName || name === idOrName)
  if (found.length === 1) return found[0]!.id
  if (found.length > 1) {
    throw new StartupError(`${found.length} guardrails are named "${idOrName}": use an ID, such as ${found[0]!.id}.`)
  }
  throw new StartupError(`Guardrail "${idOrName}" not found. To list all: npx signalbox guardrails list`)
}

/** Merges the rules of a file and of arguments. Arguments take precedence. */
export function rulesFrom(words: readonly string[], file: string | undefined): Record<string, unknown> {
  const rules = { ...(file !== undefined && bodyFrom(file)), ...fieldsFrom(words, isList) }
  if (Object.keys(rules).length > 0) return rules
  throw new StartupError('Specify at least one rule, such as limit_usd=50, or --file with a JSON object.')
}

const isList = (field: string) => {
  const rule = (Policy.shape as Record<string, { unwrap?: () => { type?: string } }>)[field]
  return rule?.unwrap?.().type === 'array'
}
