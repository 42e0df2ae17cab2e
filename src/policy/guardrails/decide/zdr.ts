import type { Config } from '#platform/config/settings.ts'
import type { Policy } from './policy.ts'
import type { Problem } from './refuse.ts'

type Vendors = Config['zdr_vendors']

/** The vendors with a dedicated field. A setting lists them. */
export const letters = ['a', 'b', 'c', 'd'] as const satisfies readonly (keyof Vendors)[]

export type ZdrField = `enforce_zdr_vendor_${(typeof letters)[number]}` | 'enforce_zdr_other'

const fields: ZdrField[] = [...letters.map((letter) => `enforce_zdr_vendor_${letter}` as const), 'enforce_zdr_other']

/**
 * The zero data retention fields of a request, each once, whichever of its two names the client used. A missing
 * field takes the value of `enforce_zdr` if the request has it. Mistakes are added to `problems`.
 */
export function zdrFieldsIn(
  vendors: Vendors,
  body: Record<string, unknown>,
  problems: Problem[],
): Partial<Pick<Policy, ZdrField>> {
  const values: Partial<Pick<Policy, ZdrField>> = {}
  const fieldNames = ['enforce_zdr', ...fields, ...fields.flatMap((field) => twinName(vendors, field) ?? [])]
  for (const name of Object.keys(body)) {
    if (!name.startsWith('enforce_zdr') || fieldNames.includes(name)) continue
    problems.push({
      path: name,
      message: `is not the field of a configured vendor; the fields are ${fieldNames.join(', ')}`,
    })
  }
  for (const field of fields) {
    const given = givenValue(body, field, twinName(vendors, field), problems)
    const value = given === undefined ? (body.enforce_zdr as boolean | null | undefined) : given
    if (value !== undefined) values[field] = value
  }
  return values
}

/** The vendor fields under the vendors' own names. */
export function twinsOf(vendors: Vendors, policy: Policy): Record<string, boolean | null> {
  return Object.fromEntries(
    fields.flatMap((field) => {
      const twin = twinName(vendors, field)
      return twin ? [[twin, policy[field]]] : []
    }),
  )
}

function givenValue(
  body: Record<string, unknown>,
  field: ZdrField,
  twin: string | undefined,
  problems: Problem[],
): boolean | null | undefined {
  const byLetter = body[field] as boolean | null | undefined
  const byName = twin === undefined ? undefined : body[twin]
  if (twin === undefined || byName === undefined) return byLetter
  if (typeof byName !== 'boolean' && byName !== null) {
    problems.push({ path: twin, message: `expected boolean or null, received ${typeof byName}` })
    return undefined
  }
  if (byLetter !== undefined && byLetter !== byName) {
    problems.push({ path: twin, message: `is another name of ${field}, and the two have different values` })
  }
  return byName
}

function twinName(vendors: Vendors, field: ZdrField): string | undefined {
  const letter = letters.find((fieldNames) => field === `enforce_zdr_vendor_${fieldNames}`)
  return letter && `enforce_zdr_${vendors[letter].suffix}`
}
