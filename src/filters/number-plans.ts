import type { CountryCode } from 'libphonenumber-js/min'
import { lazyModules } from '#lib/lazy-modules.ts'

/** What a country allows: the form of a number without country code and trunk prefix, and that prefix. */
type Plan = { form: RegExp; trunk: string }

const plans = new Map<CountryCode, Plan>()
const byCallingCode = new Map<string, Plan[]>()

function readPlans(): void {
  const { getCountries, getCountryCallingCode, Metadata } = lazyModules.phones()
  const metadata = new Metadata()
  for (const country of getCountries()) {
    metadata.selectNumberingPlan(country)
    const { numberingPlan } = metadata
    if (!numberingPlan) continue
    const read = numberingPlan as unknown as {
      nationalNumberPattern: () => string
      nationalPrefix: () => string | undefined
    }
    const plan = { form: new RegExp(`^(?:${read.nationalNumberPattern()})$`), trunk: read.nationalPrefix() ?? '' }
    plans.set(country, plan)
    const code = getCountryCallingCode(country)
    byCallingCode.set(code, [...(byCallingCode.get(code) ?? []), plan])
  }
}

/** Whether digits that begin with a country code, without + or 00, are a number of that country's plan. */
export function isInternational(digits: string): boolean {
  if (plans.size === 0) readPlans()
  return [1, 2, 3].some((length) => {
    const national = digits.slice(length)
    return byCallingCode.get(digits.slice(0, length))?.some(({ form, trunk }) => {
      // Many write the trunk prefix all the same: +44 (0)20 7946 0000.
      return (
        form.test(national) || (trunk !== '' && national.startsWith(trunk) && form.test(national.slice(trunk.length)))
      )
    })
  })
}

/** Whether digits are a number as it is dialled within a country, trunk prefix included. */
export function isNational(digits: string, country: CountryCode): boolean {
  if (plans.size === 0) readPlans()
  const plan = plans.get(country)
  if (!plan) return false
  if (plan.trunk === '0') return digits.startsWith('0') && plan.form.test(digits.slice(1))
  return plan.form.test(digits) || (digits.startsWith(plan.trunk) && plan.form.test(digits.slice(plan.trunk.length)))
}
