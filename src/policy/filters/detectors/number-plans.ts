import type { CountryCode } from 'libphonenumber-js/min'
import { lazyModules } from '#platform/process/lazy-modules.ts'

/** The number plan of a country: the form of a number without country code and trunk prefix, and that prefix. */
type Plan = { form: RegExp; trunk: string }

const plans = new Map<CountryCode, Plan>()
const byCallingCode = new Map<string, Plan[]>()

/** Positions in version 4 of the metadata. The types do not describe them. */
const formIndex = 2
const trunkIndex = 5

function readPlans(): void {
  const { version, countries, country_calling_codes } = lazyModules.phoneMetadata()
  if (version !== 4) throw new Error(`libphonenumber-js has metadata of version ${version}; only 4 can be read.`)
  for (const [code, countriesOfCode] of Object.entries(country_calling_codes)) {
    const countryPlans = countriesOfCode.flatMap((country): Plan[] => {
      const numbers = countries[country]
      if (!numbers) return []
      const plan = { form: new RegExp(`^(?:${numbers[formIndex]})$`), trunk: numbers[trunkIndex] || '' }
      plans.set(country, plan)
      return [plan]
    })
    byCallingCode.set(code, countryPlans)
  }
}

/** Whether digits with a country code, but without + or 00, are a valid number of that country. */
export function isInternationalNumber(digits: string): boolean {
  if (plans.size === 0) readPlans()
  // A calling code has up to three digits.
  return [1, 2, 3].some((length) => {
    const national = digits.slice(length)
    return byCallingCode.get(digits.slice(0, length))?.some(({ form, trunk }) => {
      // Many people write the trunk prefix too: +44 (0)20 7946 0000.
      return (
        form.test(national) || (trunk !== '' && national.startsWith(trunk) && form.test(national.slice(trunk.length)))
      )
    })
  })
}

/** Whether digits are a valid number as dialled within a country, with its trunk prefix. */
export function isNationalNumber(digits: string, country: CountryCode): boolean {
  if (plans.size === 0) readPlans()
  const plan = plans.get(country)
  if (!plan) return false
  if (plan.trunk === '0') return digits.startsWith('0') && plan.form.test(digits.slice(1))
  return plan.form.test(digits) || (digits.startsWith(plan.trunk) && plan.form.test(digits.slice(plan.trunk.length)))
}
