import { UserFacingError } from '#platform/core/fault.ts'
import { Policy } from '#policy/guardrails/decide/policy.ts'
import { parseFields, readBodyFile } from '../../kit/fields.ts'

/** Reads fields of `Policy` from a file and from arguments. Arguments take precedence. */
export function readPolicyInput(args: readonly string[], file: string | undefined): Record<string, unknown> {
  const fields = { ...(file !== undefined && readBodyFile(file)), ...parseFields(args, isList) }
  if (Object.keys(fields).length > 0) return fields
  throw new UserFacingError('Specify at least one rule, such as limit_usd=50, or --file with a JSON object.')
}

const isList = (field: string) => {
  const schema = (Policy.shape as Record<string, { unwrap?: () => { type?: string } }>)[field]
  return schema?.unwrap?.().type === 'array'
}
