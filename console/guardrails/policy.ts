import type { Guardrail, GuardrailPatch } from '../api/types.ts'

/** What a guardrail says, without what the service keeps about it. */
export type Policy = Omit<Guardrail, 'id' | 'workspace_id' | 'spent_usd' | 'resets_at' | 'created_at' | 'updated_at'>
export type Field = keyof Policy

/** What fields of it need. `change` takes the whole policy as it is to be. */
export type EditorProps = { policy: Policy; change: (policy: Policy) => void }

const vendors = ['a', 'b', 'c', 'd'].map((letter) => `enforce_zdr_vendor_${letter}`) as Field[]
/** Which models may run only where no data is retained. `enforce_zdr` is copied into each that is not named with it. */
export const zdrFields: Field[] = [...vendors, 'enforce_zdr_other']

/** Every field that can change, in the order in which a policy is told. */
export const fields: Field[] = [
  'name',
  'description',
  'limit_usd',
  'reset_interval',
  'include_byok_in_budgets',
  'allowed_models',
  'ignored_models',
  'allowed_providers',
  'ignored_providers',
  'allowed_data_regions',
  'enforce_zdr',
  ...zdrFields,
  'enable_paid_model_training',
  'enable_free_model_training',
  'enable_free_model_publication',
  'content_filter_builtins',
  'content_filters',
]

/** A policy that says nothing. */
export function emptyPolicy(name: string): Policy {
  const nothing = Object.fromEntries(fields.map((field) => [field, null]))
  return { ...nothing, name, include_byok_in_budgets: false } as Policy
}

/** Only what a policy says, of a guardrail or of its state in the audit trail. */
export function policyIn(state: object): Policy {
  const known = Object.entries(state).filter(([name]) => fields.includes(name as Field))
  return { ...emptyPolicy(''), ...Object.fromEntries(known) }
}

export type Change = { field: Field; gone: string[]; come: string[] }

/** What differs, line by line: an item of a list is a line, a single value too. */
export function changesBetween(before: Policy, after: Policy): Change[] {
  return fields.flatMap((field) => {
    const [was, is] = [linesOf(before[field]), linesOf(after[field])]
    const gone = was.filter((line) => !is.includes(line))
    const come = is.filter((line) => !was.includes(line))
    return gone.length + come.length > 0 ? [{ field, gone, come }] : []
  })
}

type Filter = { slug?: string; pattern?: string; action: string; label?: string | null; scan_scope?: string }

function linesOf(value: Policy[Field]): string[] {
  if (value === null || value === '') return []
  if (!Array.isArray(value)) return [String(value)]
  return value.map((item) => (typeof item === 'string' ? item : filterLine(item)))
}

/** The label of a builtin is the service's own. */
function filterLine({ slug, pattern, action, label, scan_scope }: Filter): string {
  const more = slug ? scan_scope && `in ${scan_scope.replace('_', ' ')}` : label && `as ${label}`
  return [action, slug ?? pattern, more].filter(Boolean).join(' ')
}

/** The body that turns one policy into the other. */
export function patchBetween(before: Policy, after: Policy): GuardrailPatch {
  const changed = changesBetween(before, after).map(({ field }) => field)
  const named = changed.includes('enforce_zdr') ? [...new Set([...changed, ...zdrFields])] : changed
  return Object.fromEntries(named.map((field) => [field, sentAs(after, field)]))
}

function sentAs(policy: Policy, field: Field): unknown {
  if (field !== 'content_filter_builtins') return policy[field] === '' ? null : policy[field]
  return policy.content_filter_builtins?.map(({ label: _, ...builtin }) => builtin) ?? null
}
