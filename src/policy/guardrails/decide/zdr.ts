import type { Config } from '#platform/config/settings.ts'
import type { Policy } from './policy.ts'
import type { Problem } from './problems.ts'

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

/**
 * The zero data retention fields of a request, each once, whichever of its two names the client used. A missing
 * field takes the value of `enforce_zdr` if the request has it. Mistakes are added to `problems`.
 */
export function readZdrFields(
  vendors: Vendors,
  body: Record<string, unknown>,
  problems: Problem[],
): Partial<Pick<Policy, ZdrField>> {
  const values: Partial<Pick<Policy, ZdrField>> = {}
  const fieldNames = ['enforce_zdr', ...fields, ...fields.flatMap((field) => vendorFieldName(vendors, field) ?? [])]
  for (const name of Object.keys(body)) {
    if (!name.startsWith('enforce_zdr') || fieldNames.includes(name)) continue
    problems.push({
      path: name,
      message: `is not the field of a configured vendor; the fields are ${fieldNames.join(', ')}`,
    })
  }
  for (const field of fields) {
    const requested = requestedValue(body, field, vendorFieldName(vendors, field), problems)
    const value = requested === undefined ? (body.enforce_zdr as boolean | null | undefined) : requested
    if (value !== undefined) values[field] = value
  }
  return values
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

function requestedValue(
  body: Record<string, unknown>,
  field: ZdrField,
  vendorField: string | undefined,
  problems: Problem[],
): boolean | null | undefined {
  const byLetter = body[field] as boolean | null | undefined
  const byName = vendorField === undefined ? undefined : body[vendorField]
  if (vendorField === undefined || byName === undefined) return byLetter
  if (typeof byName !== 'boolean' && byName !== null) {
    problems.push({ path: vendorField, message: `expected boolean or null, received ${typeof byName}` })
    return undefined
  }
  if (byLetter !== undefined && byLetter !== byName) {
    problems.push({ path: vendorField, message: `is another name of ${field}, and the two have different values` })
  }
  return byName
}

function vendorFieldName(vendors: Vendors, field: ZdrField): string | undefined {
  const letter = vendorLetters.find((candidate) => field === `enforce_zdr_vendor_${candidate}`)
  return letter && `enforce_zdr_${vendors[letter].suffix}`
}
