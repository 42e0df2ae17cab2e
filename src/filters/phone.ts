import type { CountryCode } from 'libphonenumber-js/min'
import { isInternational, isNational } from './number-plans.ts'
import { type Find, type Span, wordsBefore } from './span.ts'

// What must not stand before is asked after the first character: asked first, it would be asked everywhere.
const candidate = /[+(\d](?<!(?:[\w.,/#@$€£+-]|\d:)[+(\d])[\d(]?[\d ().\-/]{5,22}\d(?![\w@]|[.,:/-]\d|[$€£%])/g
const american = /^(?:1[ .-])?(?:\(\d{3}\) ?|\d{3}[ .-])\d{3}[ .-]\d{4}$/
const named =
  /\b(?:tel|tél|phone|telephone|telefon|teléfono|telefono|téléphone|mobile|mobil|móvil|handy|cell|call|ring|dial|text|sms|fax|whatsapp|contact|hotline|reach me|reach us|number is)\b[^\d+(]{0,16}$/
const other =
  /\b(?:order|invoice|ref(?:erence)?|case|ticket|tracking|account|acct|isbn|issn|sku|part|serial|id|uuid|model|version|build|po|vin|iban|doi|issue|pr|commit|timestamp|page|pages|lines?|port|zip|article|batch|lot|item)\b[\W_]{0,3}(?:no\.?|num(?:ber)?|id|code)?(?: is| was)?[\W_]{0,4}$/
const date = /^(?:\d{4}[-/.]\d{1,2}[-/.]\d{1,2}|\d{1,2}[-/.]\d{1,2}[-/.]\d{2,4})(?!\d)/

/** Whose national numbers are known where the text says that a phone number follows. */
const countries: CountryCode[] = [
  'US',
  'GB',
  'DE',
  'FR',
  'ES',
  'IT',
  'NL',
  'AU',
  'IN',
  'BR',
  'JP',
  'PL',
  'CH',
  'AT',
  'SE',
  'MX',
  'IL',
]

/**
 * Phone numbers that exist in some country's number plan. With a country code they are found anywhere, and so are
 * numbers as North America writes them; other national numbers only where the text says what they are ("tel", "call").
 */
export const findPhones: Find = (text) => {
  const found: Span[] = []
  candidate.lastIndex = 0
  for (let match = candidate.exec(text); match; match = candidate.exec(text)) {
    const { index, 0: run } = match
    const number = beginnings(run).find((beginning) => isPhone(text, index, beginning))
    if (number) found.push({ start: index, end: index + number.length })
    // What stands before a space may be another number: the run is looked at again from after it.
    const space = run.indexOf(' ')
    candidate.lastIndex = index + (number?.length ?? (space > 0 ? space : run.length))
  }
  return found
}

/** A run of digits and what is written between them, whole and without its last groups. */
function beginnings(run: string): string[] {
  const all = [balanced(run)]
  for (let space = run.lastIndexOf(' '); space > 6; space = run.lastIndexOf(' ', space - 1)) {
    all.push(balanced(run.slice(0, space).trimEnd()))
  }
  return all
}

function isPhone(text: string, start: number, number: string): boolean {
  const digits = number.replace(/\D/g, '')
  if (digits.length < 7 || digits.length > 15 || date.test(number) || /^(\d)\1+$/.test(digits)) return false
  if (number.startsWith('+')) return isInternational(digits)
  const before = wordsBefore(text, start)
  if (other.test(before)) return false
  if (number.startsWith('00')) return isInternational(digits.slice(2))
  if (american.test(number)) return isNational(digits, 'US')
  return named.test(before) && countries.some((country) => isNational(digits, country))
}

/** A bracket that opened before, or closes after, the number is not part of it. */
function balanced(run: string): string {
  const open = run.indexOf('(')
  return open !== -1 && !run.includes(')', open) ? run.slice(0, open).trimEnd() : run
}
