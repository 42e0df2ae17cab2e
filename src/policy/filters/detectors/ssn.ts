import { type FindSpans, findMatches, textBefore } from '../span.ts'

const candidatePattern = /(?<![\w.]|\d-)(\d{3})([- ]?)(\d{2})\2(\d{4})(?![\w]|[-.]\d)/g
const ssnLabel = /\b(?:ssn|social security|soc\.? sec\.?|social-security|tax(?:payer)? id)\b[^\d]{0,24}$/
const otherLabelPattern =
  /\b(?:part|order|sku|serial|model|catalog(?:ue)?|item|invoice|ticket|ref(?:erence)?)\b\W{0,3}(?:no|number|id|#)?[\W_]{0,3}$/

/** The longest label and the 24 characters that can be between it and the number. */
const maxLabelLength = 44

/** Numbers from advertisements, which are not assigned. */
const publishedNumbers = new Set(['078051120', '219099999', '457555462'])

/**
 * Finds social security numbers of the United States in valid ranges. Numbers with hyphens are found anywhere; others only
 * after a word that announces them.
 */
export const findSsns: FindSpans = (text) =>
  findMatches(text, candidatePattern, ({ 1: area, 2: separator, 3: group, 4: serial, index }) => {
    if (!isIssuable(area!, group!, serial!)) return false
    const precedingText = textBefore(text, index, maxLabelLength)
    return separator === '-' ? !otherLabelPattern.test(precedingText) : ssnLabel.test(precedingText)
  })

function isIssuable(area: string, group: string, serial: string): boolean {
  if (area === '000' || area === '666' || area >= '900') return false
  return group !== '00' && serial !== '0000' && !publishedNumbers.has(area + group + serial)
}
