import type { CountryCode } from 'libphonenumber-js/min'
import { type FindSpans, type Span, textBefore } from '../span.ts'
import { isInternationalNumber, isNationalNumber } from './number-plans.ts'

// The lookbehind is after the first character, because at the start it would be tested at every position.
const candidatePattern = /[+(\d](?<!(?:[\w.,/#@$€£+-]|\d:)[+(\d])[\d(]?[\d ().\-/]{5,22}\d(?![\w@]|[.,:/-]\d|[$€£%])/g
const northAmericanPattern = /^(?:1[ .-])?(?:\(\d{3}\) ?|\d{3}[ .-])\d{3}[ .-]\d{4}(?!\d)/
const phoneLabel =
  /\b(?:tel|tél|phone|telephone|telefon|teléfono|telefono|téléphone|mobile|mobil|móvil|handy|cell|call|ring|dial|text|sms|fax|whatsapp|contact|hotline|reach me|reach us|number is)\b[^\d+(]{0,16}$/
const otherLabelPattern =
  /\b(?:order|invoice|ref(?:erence)?|case|ticket|tracking|account|acct|isbn|issn|sku|part|serial|id|uuid|model|version|build|po|vin|iban|doi|issue|pr|commit|timestamp|page|pages|lines?|port|zip|article|batch|lot|item)\b[\W_]{0,3}(?:no\.?|num(?:ber)?|id|code)?(?: is| was)?[\W_]{0,4}$/
const datePattern = /^(?:\d{4}[-/.]\d{1,2}[-/.]\d{1,2}|\d{1,2}[-/.]\d{1,2}[-/.]\d{2,4})(?!\d)/

/** Countries whose national numbers are found where the text announces a phone number. */
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
 * Finds phone numbers that are valid in the number plan of a country. Numbers with a country code and in the North American
 * format are found anywhere, other national numbers only after a word such as "tel" or "call".
 */
export const findPhones: FindSpans = (text) => {
  const spans: Span[] = []
  candidatePattern.lastIndex = 0
  for (let match = candidatePattern.exec(text); match; match = candidatePattern.exec(text)) {
    const { index, 0: run } = match
    const number = findPhoneInRun(text, index, run)
    if (number) spans.push({ start: index, end: index + number.length })
    // The part after a space can be a number in the North American format.
    const space = run.indexOf(' ')
    const hasSecondNumber = space > 0 && run.length - space > minNorthAmericanLength
    candidatePattern.lastIndex = index + (number?.length ?? (hasSecondNumber ? space : run.length))
  }
  return spans
}

const minNorthAmericanLength = '202-555-0143'.length

/** The digits of a number: the shortest that is found, and the longest that E.164 allows. */
const minDigits = 7
const maxDigits = 15

/** Returns the number at the beginning of a sequence of digits: the whole sequence, or without its last groups. */
function findPhoneInRun(text: string, start: number, run: string): string | undefined {
  const isPhone = createPhoneCheck(text, start, run)
  if (!isPhone) return undefined
  for (let end = run.length; end >= minDigits; end = run.lastIndexOf(' ', end - 1)) {
    const number = withoutOpenBracket(run.slice(0, end).replace(/\D{1,24}$/, ''))
    const digits = number.replace(/\D/g, '')
    if (digits.length >= minDigits && digits.length <= maxDigits && isPhone(number, digits)) return number
  }
  return undefined
}

/**
 * Returns the check for a phone number at a position, which depends on its first characters and the text before it.
 * Undefined if there can be none, as at most positions.
 */
function createPhoneCheck(
  text: string,
  start: number,
  run: string,
): ((number: string, digits: string) => boolean) | undefined {
  if (run.startsWith('+')) return (_, digits) => isInternationalNumber(digits)
  if (datePattern.test(run)) return undefined
  const canBeNorthAmerican = northAmericanPattern.test(run)
  const precedingText = textBefore(text, start)
  const hasInternationalPrefix = run.startsWith('00')
  const hasPhoneLabel = !canBeNorthAmerican && !hasInternationalPrefix && phoneLabel.test(precedingText)
  if (!(canBeNorthAmerican || hasInternationalPrefix || hasPhoneLabel) || otherLabelPattern.test(precedingText))
    return undefined
  if (hasInternationalPrefix) return (_, digits) => isInternationalNumber(digits.slice(2))
  if (canBeNorthAmerican)
    return (number, digits) => number === northAmericanPattern.exec(number)?.[0] && isNationalNumber(digits, 'US')
  return (_, digits) => !/^(\d)\1+$/.test(digits) && countries.some((country) => isNationalNumber(digits, country))
}

/** Removes an unbalanced bracket at the end of the number. */
function withoutOpenBracket(run: string): string {
  const open = run.indexOf('(')
  return open !== -1 && !run.includes(')', open) ? run.slice(0, open).trimEnd() : run
}
