/** The action on a match of a content filter: refuse the request, replace the text, or only record it. */
export const filterActions = ['block', 'redact', 'flag'] as const
export type FilterAction = (typeof filterActions)[number]

/** The builtin filters, and the labels that replace redacted text. */
export const builtinLabels = {
  email: '[EMAIL]',
  phone: '[PHONE]',
  ssn: '[SSN]',
  'credit-card': '[CREDIT_CARD]',
  'ip-address': '[IP_ADDRESS]',
  secrets: '[SECRET]',
  'person-name': '[PERSON_NAME]',
  address: '[ADDRESS]',
  'regex-prompt-injection': '[PROMPT_INJECTION]',
} as const

export type BuiltinSlug = keyof typeof builtinLabels

export const builtinSlugs = Object.keys(builtinLabels) as [BuiltinSlug, ...BuiltinSlug[]]

/** The messages that a filter reads, by their author. */
export const scanScopes = ['user_only', 'all_messages'] as const
export type ScanScope = (typeof scanScopes)[number]

/** The builtin filters whose scope can be set. All other builtin filters read all messages. */
export const scopedBuiltins: ReadonlySet<BuiltinSlug> = new Set(['regex-prompt-injection'])
