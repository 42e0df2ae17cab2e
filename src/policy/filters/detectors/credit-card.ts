import { type FindSpans, type Span, textBefore } from '../span.ts'

// The lookbehind is after the first digit, because at the start it would be tested at every position.
const candidatePattern =
  /\d(?<!(?:[\w.]|\d-)\d)(?:\d{11,18}(?!-\d)|\d{3}([ -])(?:\d{4}\1\d{4}\1\d{4}(?:\1\d{3})?|\d{6}\1\d{4,5}))(?!\w|\.\d)/g
const otherNumberLabel =
  /\b(?:order|tracking|invoice|imei|isbn|ean|gtin|upc|serial|account id|request id|trace id|id|ref(?:erence)?|timestamp|build)\b[\W_]{0,3}(?:no\.?|number|id|is)?[\W_]{0,3}$/

/** A range of first digits (`digits` is their number), and the lengths of the card numbers that begin with them. */
type Issuer = { from: number; to: number; digits: number; lengths: number[] }
const issuer = (from: number, to: number, ...lengths: number[]): Issuer => ({
  from,
  to,
  digits: String(from).length,
  lengths,
})

/** First digits and lengths of the cards in use. */
const issuers: Issuer[] = [
  issuer(4, 4, 13, 16, 19), // Visa
  issuer(51, 55, 16), // Mastercard
  issuer(2221, 2720, 16),
  issuer(34, 34, 15), // American Express
  issuer(37, 37, 15),
  issuer(6011, 6011, 16, 17, 18, 19), // Discover
  issuer(644, 649, 16, 17, 18, 19),
  issuer(65, 65, 16, 17, 18, 19),
  issuer(300, 305, 14, 16), // Diners Club
  issuer(36, 36, 14, 16),
  issuer(38, 39, 14, 16),
  issuer(3528, 3589, 16, 17, 18, 19), // JCB
  issuer(62, 62, 16, 17, 18, 19), // UnionPay
  issuer(2200, 2204, 16, 17, 18, 19), // Mir
  issuer(5018, 5018, 12, 13, 14, 15, 16, 17, 18, 19), // Maestro
  issuer(5020, 5020, 12, 13, 14, 15, 16, 17, 18, 19),
  issuer(5038, 5038, 12, 13, 14, 15, 16, 17, 18, 19),
  issuer(6304, 6304, 12, 13, 14, 15, 16, 17, 18, 19),
  issuer(6759, 6763, 12, 13, 14, 15, 16, 17, 18, 19),
]

/**
 * Finds payment card numbers by the issuer's first digits and length, and the check digit. One in ten numbers has a valid
 * check digit by chance. So a number without spaces or hyphens is ignored after a word such as "order" or "IMEI".
 */
export const findCards: FindSpans = (text) => {
  const spans: Span[] = []
  candidatePattern.lastIndex = 0
  for (let match = candidatePattern.exec(text); match; match = candidatePattern.exec(text)) {
    const card = parseCard(text, match.index, match[0])
    if (card) spans.push(card)
    // If these groups are not a card number, a card number can still start at the second group.
    else if (match[1]) candidatePattern.lastIndex = match.index + match[0].indexOf(match[1])
  }
  return spans
}

function parseCard(text: string, start: number, written: string): Span | undefined {
  const digits = written.replace(/[ -]/g, '')
  const hasNoSeparators = digits === written
  if (hasNoSeparators && otherNumberLabel.test(textBefore(text, start))) return undefined
  if (isCard(digits)) return { start, end: start + written.length }
  // A security code can follow the number.
  const hasCode = !hasNoSeparators && digits.length === 19
  return hasCode && isCard(digits.slice(0, 16)) ? { start, end: start + written.length - 4 } : undefined
}

function isCard(digits: string): boolean {
  const matchesIssuer = issuers.some(({ from, to, digits: prefixLength, lengths }) => {
    const prefix = Number(digits.slice(0, prefixLength))
    return prefix >= from && prefix <= to && lengths.includes(digits.length)
  })
  return matchesIssuer && hasCheckDigit(digits)
}

/** The Luhn check. */
function hasCheckDigit(digits: string): boolean {
  let sum = 0
  for (let i = 0; i < digits.length; i++) {
    const digit = digits.charCodeAt(digits.length - 1 - i) - 48
    const doubled = i % 2 === 1 ? digit * 2 : digit
    sum += doubled > 9 ? doubled - 9 : doubled
  }
  return sum % 10 === 0
}
