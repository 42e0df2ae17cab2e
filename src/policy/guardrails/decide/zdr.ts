import type { Config } from '#platform/config/settings.ts'
import type { Policy } from './policy.ts'
import type { Checked, Problem } from './problems.ts'

type Vendors = Config['zdr_vendors']

/**
 * The letters of the vendors in the setting `zdr_vendors`. Each has a field with two names: by letter, such as
 * `enforce_zdr_vendor_a`, and by vendor, such as `enforce_zdr_anthropic`.
 */
export const vendorLetters = ['a', 'b', 'c', 'd'] as const satisfies readonly (keyof Vendors)[]

export type ZdrField = `enforce_zdr_vendor_${(typeof vendorLetters)[number]}` | 'enforce_zdr_other'

const fields: ZdrField[] = [
  ...vendorLetters.map((letter) => `enforce_zdr_vendor_${letter}` as const),
  'enforce_zdr_other',
]

type RequestedValue = boolean | null | undefined

/**
 * The zero data retention fields of a request, each once, whichever of its two names the client used. A missing
 * field takes the value of `enforce_zdr` if the request has it.
 */
export function readZdrFields(
  vendors: Vendors,
  body: Record<string, unknown>,
): Checked<Partial<Pick<Policy, ZdrField>>> {
  const defaultValue = body.enforce_zdr as RequestedValue
  const value: Partial<Pick<Policy, ZdrField>> = {}
  const problems = findUnknownVendors(vendors, body)
  for (const field of fields) {
    const requested = readField(body, field, vendorFieldName(vendors, field))
    problems.push(...requested.problems)
    const fieldValue = requested.value === undefined ? defaultValue : requested.value
    if (fieldValue !== undefined) value[field] = fieldValue
  }
  return { value, problems }
}

function findUnknownVendors(vendors: Vendors, body: Record<string, unknown>): Problem[] {
  const fieldNames = ['enforce_zdr', ...fields, ...fields.flatMap((field) => vendorFieldName(vendors, field) ?? [])]
  const unknown = Object.keys(body).filter((name) => name.startsWith('enforce_zdr') && !fieldNames.includes(name))
  const message = `is not the field of a configured vendor; the fields are ${fieldNames.join(', ')}`
  return unknown.map((path) => ({ path, message }))
}

/** Reads a field under both of its names. */
function readField(
  body: Record<string, unknown>,
  field: ZdrField,
  vendorField: string | undefined,
): Checked<RequestedValue> {
  const byLetter = body[field] as RequestedValue
  const byName = vendorField === undefined ? undefined : body[vendorField]
  if (vendorField === undefined || byName === undefined) return { value: byLetter, problems: [] }
  if (typeof byName !== 'boolean' && byName !== null) {
    const message = `expected boolean or null, received ${typeof byName}`
    return { value: undefined, problems: [{ path: vendorField, message }] }
  }
  if (byLetter === undefined || byLetter === byName) return { value: byName, problems: [] }
  const message = `is another name of ${field}, and the two have different values`
  return { value: byName, problems: [{ path: vendorField, message }] }
}

/** The vendor fields under the vendors' own names. */
export function vendorFieldsOf(vendors: Vendors, policy: Policy): Record<string, boolean | null> {
  return Object.fromEntries(
    fields.flatMap((field) => {
      const vendorField = vendorFieldName(vendors, field)
      return vendorField ? [[vendorField, policy[field]]] : []
    }),
  )
}

function vendorFieldName(vendors: Vendors, field: ZdrField): string | undefined {
  const letter = vendorLetters.find((candidate) => field === `enforce_zdr_vendor_${candidate}`)
  return letter && `enforce_zdr_${vendors[letter].suffix}`
}
