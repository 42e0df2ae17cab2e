import type { WorkspaceRecord } from '#identity/accounts/workspace.ts'
import { StartupError } from '#platform/core/fault.ts'
import { Policy } from '#policy/guardrails/decide/policy.ts'
import type { Guardrail } from '#policy/guardrails/guardrail.ts'
import type { ApiClient } from '../../kit/api-client.ts'
import { bodyFrom, fieldsFrom } from '../../kit/fields.ts'

/** Help text of each command that takes a guardrail. */
export const whichGuardrail = 'its id, its name, or "default:<workspace>" for what governs all of a workspace'

/** @throws StartupError when there is none, or several have the name. */
export async function guardrailId(client: ApiClient, wanted: string): Promise<string> {
  if (wanted.startsWith('default:')) {
    const slug = encodeURIComponent(wanted.slice('default:'.length))
    return (await client.ask<{ data: WorkspaceRecord }>('GET', `/workspaces/${slug}`)).data.default_guardrail_id
  }
  const all = await client.listAll<Guardrail>('/guardrails')
  const found = all.filter(({ id, name }) => id === wanted || name === wanted)
  if (found.length === 1) return found[0]!.id
  if (found.length > 1) {
    throw new StartupError(
      `${found.length} guardrails are named "${wanted}": name one by its id, ${found[0]!.id} or another.`,
    )
  }
  throw new StartupError(`There is no guardrail "${wanted}": "npx signalbox guardrails list" shows them all.`)
}

/** The rules that arguments and a file name. */
export function rulesFrom(words: readonly string[], file: string | undefined): Record<string, unknown> {
  const rules = { ...(file !== undefined && bodyFrom(file)), ...fieldsFrom(words, isList) }
  if (Object.keys(rules).length > 0) return rules
  throw new StartupError(
    'Name what is to change, such as limit_usd=50 reset_interval=monthly; or --file with a JSON object.',
  )
}

const isList = (field: string) => {
  const rule = (Policy.shape as Record<string, { unwrap?: () => { type?: string } }>)[field]
  return rule?.unwrap?.().type === 'array'
}
