import type { Guardrail, GuardrailPatch } from '../api/types.ts'
import { type DataRule, dataRuleNames } from '../components/policy/data-rules.ts'
import { groupLimitText } from '../components/policy/policy-description.ts'

/** The policy fields of a guardrail, without ids, usage and times. */
export type Policy = Omit<
  Guardrail,
  | 'id'
  | 'workspace_id'
  | 'spent_usd'
  | 'unconfirmed_usd'
  | 'held_usd'
  | 'forecast_usd'
  | 'spenders'
  | 'group_spending'
  | 'resets_at'
  | 'created_at'
  | 'updated_at'
>
type Field = keyof Policy

/** Props of policy inputs. `onChange` receives the whole new policy. */
export type EditorProps = { policy: Policy; onChange: (policy: Policy) => void }

/** Zero data retention by vendor. The service copies `enforce_zdr` into the fields that a request omits. */
const zdrDefaults = {
  enforce_zdr_vendor_a: null,
  enforce_zdr_vendor_b: null,
  enforce_zdr_vendor_c: null,
  enforce_zdr_vendor_d: null,
  enforce_zdr_other: null,
}
export const zdrFields = Object.keys(zdrDefaults) as Field[]

const withoutDataRules = Object.fromEntries(dataRuleNames.map((name) => [name, null])) as Record<DataRule, null>

/** A policy without rules, its fields in display order. The type reports a missing field. */
const emptyFields = {
  name: '',
  description: null,
  limit_usd: null,
  reset_interval: null,
  include_byok_in_budgets: false,
  group_limits: null,
  allowed_models: null,
  ignored_models: null,
  allowed_providers: null,
  ignored_providers: null,
  allowed_data_regions: null,
  enforce_zdr: null,
  ...zdrDefaults,
  ...withoutDataRules,
  content_filter_builtins: null,
  content_filters: null,
} satisfies Policy

/** All editable fields, in display order. */
const fields = Object.keys(emptyFields) as Field[]

/** A policy without rules. */
export const emptyPolicy = (name: string): Policy => ({ ...emptyFields, name })

/** The policy fields of a guardrail, or of its state in the audit log. */
export function policyOf(state: object): Policy {
  const policyEntries = Object.entries(state).filter(([name]) => fields.includes(name as Field))
  return { ...emptyPolicy(''), ...Object.fromEntries(policyEntries) }
}

type Change = { field: Field; removed: string[]; added: string[] }

/** The changed fields. Each item of a list, and each single value, is a line. */
export function changesBetween(oldPolicy: Policy, newPolicy: Policy): Change[] {
  return fields.flatMap((field) => {
    const [was, is] = [linesOf(oldPolicy[field]), linesOf(newPolicy[field])]
    const removed = was.filter((line) => !is.includes(line))
    const added = is.filter((line) => !was.includes(line))
    return removed.length + added.length > 0 ? [{ field, removed, added }] : []
  })
}

type Filter = { slug?: string; pattern?: string; action: string; label?: string | null; scan_scope?: string }

function linesOf(value: Policy[Field]): string[] {
  if (value === null || value === '') return []
  if (!Array.isArray(value)) return [String(value)]
  return value.map((item) => {
    if (typeof item === 'string') return item
    return 'by' in item ? groupLimitText(item) : filterLine(item)
  })
}

/** A content filter as a line. The service sets the labels of built-in filters. */
function filterLine({ slug, pattern, action, label, scan_scope }: Filter): string {
  const more = slug ? scan_scope && `in ${scan_scope.replace('_', ' ')}` : label && `as ${label}`
  return [action, slug ?? pattern, more].filter(Boolean).join(' ')
}

/** The PATCH body for the changes between two policies. */
export function patchBetween(oldPolicy: Policy, newPolicy: Policy): GuardrailPatch {
  const changed = changesBetween(oldPolicy, newPolicy).map(({ field }) => field)
  const fieldNames = changed.includes('enforce_zdr') ? [...new Set([...changed, ...zdrFields])] : changed
  return Object.fromEntries(fieldNames.map((field) => [field, patchValue(newPolicy, field)]))
}

function patchValue(policy: Policy, field: Field): unknown {
  if (field !== 'content_filter_builtins') return policy[field] === '' ? null : policy[field]
  // The service assigns these labels, and ignores those of a request.
  return policy.content_filter_builtins?.map(({ label: _, ...builtin }) => builtin) ?? null
}
