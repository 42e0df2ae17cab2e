import { StartupError } from '#platform/core/fault.ts'
import { Policy } from '#policy/guardrails/decide/policy.ts'
import { parseFields, readBodyFile } from '../../kit/fields.ts'

/** Merges the rules of a file and of arguments. Arguments take precedence. */
export function readRulesInput(words: readonly string[], file: string | undefined): Record<string, unknown> {
  const rules = { ...(file !== undefined && readBodyFile(file)), ...parseFields(words, isList) }
  if (Object.keys(rules).length > 0) return rules
  throw new StartupError('Specify at least one rule, such as limit_usd=50, or --file with a JSON object.')
}

const isList = (field: string) => {
  const rule = (Policy.shape as Record<string, { unwrap?: () => { type?: string } }>)[field]
  return rule?.unwrap?.().type === 'array'
}
