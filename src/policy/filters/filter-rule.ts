import type { BuiltinSlug, FilterAction, ScanScope } from './detectors/builtins.ts'

/** The fields of a guardrail that filtering needs. */
export type FilteringGuardrail = {
  id: string
  name: string
  policy: {
    content_filter_builtins:
      | { slug: BuiltinSlug; action: FilterAction; label: string; scan_scope?: ScanScope | undefined }[]
      | null
    content_filters: { pattern: string; action: FilterAction; label?: string | null | undefined }[] | null
  }
}

/** A rule's matcher: a builtin filter or a custom pattern. */
type Matcher = { builtin: BuiltinSlug } | { pattern: string }

/** An active filter, and the guardrail that requires it. */
export type FilterRule = {
  matcher: Matcher
  action: FilterAction
  /** Replaces redacted text. */
  label: string
  isUserOnly: boolean
  guardrail: { id: string; name: string }
  /** The field of the guardrail: `content_filter_builtins.email`, `content_filters[2]`. */
  rule: string
}

const defaultLabel = '[REDACTED]'

const strictness = { flag: 0, redact: 1, block: 2 } as const

/**
 * The filters of several guardrails together, strictest first. If several contain the same filter, the strictest action holds (block
 * over redact over flag), and the first guardrail with that action is named.
 */
export function compileFilters(guardrails: readonly FilteringGuardrail[]): FilterRule[] {
  const strictest = new Map<string, FilterRule>()
  for (const rule of guardrails.flatMap(rulesOf)) {
    const key = JSON.stringify([rule.matcher, rule.isUserOnly])
    const existing = strictest.get(key)
    if (!existing || strictness[rule.action] > strictness[existing.action]) strictest.set(key, rule)
  }
  return [...strictest.values()].sort((a, b) => strictness[b.action] - strictness[a.action])
}

function rulesOf({ id, name, policy }: FilteringGuardrail): FilterRule[] {
  const guardrail = { id, name }
  const builtins = (policy.content_filter_builtins ?? []).map(
    ({ slug, action, label, scan_scope }): FilterRule => ({
      matcher: { builtin: slug },
      action,
      label,
      isUserOnly: scan_scope === 'user_only',
      guardrail,
      rule: `content_filter_builtins.${slug}`,
    }),
  )
  const custom = (policy.content_filters ?? []).map(
    ({ pattern, action, label }, i): FilterRule => ({
      matcher: { pattern },
      action,
      label: label || defaultLabel,
      isUserOnly: false,
      guardrail,
      rule: `content_filters[${i}]`,
    }),
  )
  return [...builtins, ...custom]
}
